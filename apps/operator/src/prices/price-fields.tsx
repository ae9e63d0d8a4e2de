import { mostCurrencies, mostTiers, priceScheme, priceSchemes } from '@atrium/core/billing/prices'
import { taxBehavior as taxBehaviorOf, taxBehaviors } from '@atrium/core/billing/taxes'
import { translations } from '@atrium/ui/messages'
import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { PartnerSlugsInput } from '../flags/name-inputs.tsx'
import { isTiered, newAmount, newTier, type PriceForm } from './price-form.ts'

const t = translations('operator.prices')

interface Props {
  form: UseFormReturnType<PriceForm>
}

const schemeChoices = () =>
  priceSchemes.map((value) => ({ value, label: t(`schemes.${value}.name`) }))

const taxChoices = () => taxBehaviors.map((value) => ({ value, label: t(`taxes.${value}.name`) }))

/** The scheme, whether tax is part of the price, and the amounts of each currency. */
export function AmountFields({ form }: Props) {
  const { scheme, taxBehavior, amounts } = form.values
  return (
    <Stack>
      <Select
        label={t('form.scheme')}
        description={t(`schemes.${scheme}.hint`)}
        data={schemeChoices()}
        allowDeselect={false}
        withScrollArea={false}
        {...form.getInputProps('scheme')}
        onChange={(value) => form.setFieldValue('scheme', priceScheme.parse(value))}
      />
      <Select
        label={t('form.tax')}
        description={t(`taxes.${taxBehavior}.hint`)}
        data={taxChoices()}
        allowDeselect={false}
        withScrollArea={false}
        {...form.getInputProps('taxBehavior')}
        onChange={(value) => form.setFieldValue('taxBehavior', taxBehaviorOf.parse(value))}
      />
      {amounts.map((amount, index) => (
        <AmountInputs key={amount.id} form={form} index={index} />
      ))}
      {amounts.length < mostCurrencies && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => form.insertListItem('amounts', newAmount())}
        >
          {t('form.addCurrency')}
        </Button>
      )}
    </Stack>
  )
}

function AmountInputs({ form, index }: Props & { index: number }) {
  const { scheme, amounts, cycle } = form.values
  const path = `amounts.${index}`
  const currency = amounts[index]?.currency.toUpperCase() ?? ''
  const tiered = isTiered(scheme)
  const remove = amounts.length > 1 && (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="input-sm"
      aria-label={
        currency === ''
          ? t('form.removeNumbered', { number: index + 1 })
          : t('form.removeCurrency', { currency })
      }
      onClick={() => form.removeListItem('amounts', index)}
    >
      <IconTrash size={18} aria-hidden />
    </ActionIcon>
  )
  return (
    <Fieldset legend={currency === '' ? t('form.anotherCurrency') : currency}>
      <Stack gap="sm">
        <Group align="flex-start" wrap="nowrap" gap="xs">
          <TextInput
            label={t('form.currency')}
            placeholder="EUR"
            maxLength={3}
            w={96}
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            styles={{ input: { textTransform: 'uppercase' } }}
            {...form.getInputProps(`${path}.currency`)}
          />
          {!tiered && (
            <TextInput
              label={t(`form.${scheme === 'flat' ? 'amountFlat' : 'amountPerSeat'}.${cycle}`)}
              inputMode="decimal"
              autoComplete="off"
              placeholder={t('form.amountPlaceholder')}
              flex={1}
              {...form.getInputProps(`${path}.unit`)}
            />
          )}
          <Group pt={25} ml={tiered ? 'auto' : 0}>
            {remove}
          </Group>
        </Group>
        {tiered && <TierInputs form={form} path={path} tiers={amounts[index]?.tiers ?? []} />}
      </Stack>
    </Fieldset>
  )
}

function TierInputs({
  form,
  path,
  tiers,
}: Props & { path: string; tiers: PriceForm['amounts'][number]['tiers'] }) {
  return (
    <Stack gap="xs">
      {tiers.map((tier, index) => {
        const at = `${path}.tiers.${index}`
        const last = index === tiers.length - 1
        return (
          <Group
            key={tier.id}
            align="flex-start"
            wrap="nowrap"
            gap="xs"
            role="group"
            aria-label={t('form.tier', { number: index + 1 })}
          >
            {last ? (
              <TextInput
                label={t('form.upTo')}
                value={t('form.andMore')}
                readOnly
                flex={1}
                tabIndex={-1}
              />
            ) : (
              <NumberInput
                label={t('form.upTo')}
                min={1}
                allowDecimal={false}
                hideControls
                flex={1}
                {...form.getInputProps(`${at}.upTo`)}
              />
            )}
            <TextInput
              label={t('form.perSeat')}
              inputMode="decimal"
              autoComplete="off"
              flex={1}
              {...form.getInputProps(`${at}.unit`)}
            />
            <TextInput
              label={t('form.flatPart')}
              inputMode="decimal"
              autoComplete="off"
              flex={1}
              {...form.getInputProps(`${at}.flat`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="input-sm"
              mt={25}
              aria-label={t('form.removeTier', { number: index + 1 })}
              disabled={last || tiers.length === 1}
              onClick={() => form.removeListItem(`${path}.tiers`, index)}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </Group>
        )
      })}
      {tiers.length < mostTiers && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => form.insertListItem(`${path}.tiers`, newTier(''), tiers.length - 1)}
        >
          {t('form.addTier')}
        </Button>
      )}
    </Stack>
  )
}

/** Who can subscribe, when, and with how many seats. */
export function TermsFields({ form }: Props) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberInput
          label={t('form.minSeats')}
          min={1}
          allowDecimal={false}
          {...form.getInputProps('minSeats')}
        />
        <NumberInput
          label={t('form.maxSeats')}
          placeholder={t('form.noLimit')}
          min={1}
          allowDecimal={false}
          {...form.getInputProps('maxSeats')}
        />
        <NumberInput
          label={t('form.trial')}
          min={0}
          max={730}
          allowDecimal={false}
          suffix={` ${t('form.days')}`}
          {...form.getInputProps('trialDays')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('form.offeredFrom')}
          type="datetime-local"
          {...form.getInputProps('visibleFrom')}
        />
        <TextInput
          label={t('form.offeredUntil')}
          type="datetime-local"
          {...form.getInputProps('visibleUntil')}
        />
      </SimpleGrid>
      <PartnerSlugsInput
        label={t('form.partners')}
        description={t('form.partnersHint')}
        {...form.getInputProps('partnerSlugs')}
      />
      <TextInput
        label={t('form.note')}
        description={t('form.noteHint')}
        autoComplete="off"
        {...form.getInputProps('note')}
      />
    </Stack>
  )
}
