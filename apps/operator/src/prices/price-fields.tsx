import { mostCurrencies, mostTiers, priceScheme, priceSchemes } from '@atrium/core/billing/prices'
import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { PartnerSlugsInput } from '../flags/name-inputs.tsx'
import { schemeHints, schemeNames } from './labels.ts'
import { isTiered, newAmount, newTier, type PriceForm } from './price-form.ts'

interface Props {
  form: UseFormReturnType<PriceForm>
}

const schemeChoices = priceSchemes.map((value) => ({ value, label: schemeNames[value] }))

/** Scheme, and what each currency costs. */
export function AmountFields({ form }: Props) {
  const { scheme, amounts } = form.values
  return (
    <Stack>
      <Select
        label="Scheme"
        description={schemeHints[scheme]}
        data={schemeChoices}
        allowDeselect={false}
        withScrollArea={false}
        {...form.getInputProps('scheme')}
        onChange={(value) => form.setFieldValue('scheme', priceScheme.parse(value))}
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
          Add a currency
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
  const name = currency === '' ? `currency ${index + 1}` : currency
  const remove = amounts.length > 1 && (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="input-sm"
      aria-label={`Remove ${name}`}
      onClick={() => form.removeListItem('amounts', index)}
    >
      <IconTrash size={18} aria-hidden />
    </ActionIcon>
  )
  return (
    <Fieldset legend={currency === '' ? 'Another currency' : currency}>
      <Stack gap="sm">
        <Group align="flex-start" wrap="nowrap" gap="xs">
          <TextInput
            label="Currency"
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
              label={scheme === 'flat' ? `Amount per ${cycle}` : `Amount per seat and ${cycle}`}
              inputMode="decimal"
              autoComplete="off"
              placeholder="8.00"
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
            aria-label={`Tier ${index + 1}`}
          >
            {last ? (
              <TextInput label="Up to seat" value="and more" readOnly flex={1} tabIndex={-1} />
            ) : (
              <NumberInput
                label="Up to seat"
                min={1}
                allowDecimal={false}
                hideControls
                flex={1}
                {...form.getInputProps(`${at}.upTo`)}
              />
            )}
            <TextInput
              label="Per seat"
              inputMode="decimal"
              autoComplete="off"
              flex={1}
              {...form.getInputProps(`${at}.unit`)}
            />
            <TextInput
              label="Flat part"
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
              aria-label={`Remove tier ${index + 1}`}
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
          Add a tier
        </Button>
      )}
    </Stack>
  )
}

/** Who can buy it, when, and how many seats. */
export function TermsFields({ form }: Props) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberInput
          label="From seats"
          min={1}
          allowDecimal={false}
          {...form.getInputProps('minSeats')}
        />
        <NumberInput
          label="Up to seats"
          placeholder="No limit"
          min={1}
          allowDecimal={false}
          {...form.getInputProps('maxSeats')}
        />
        <NumberInput
          label="Trial"
          min={0}
          max={730}
          allowDecimal={false}
          suffix=" days"
          {...form.getInputProps('trialDays')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Offered from"
          type="datetime-local"
          {...form.getInputProps('visibleFrom')}
        />
        <TextInput
          label="Offered until"
          type="datetime-local"
          {...form.getInputProps('visibleUntil')}
        />
      </SimpleGrid>
      <PartnerSlugsInput
        label="Only for tenants of"
        description="Partners by slug. Everybody when it is empty."
        {...form.getInputProps('partnerSlugs')}
      />
      <TextInput
        label="Note"
        description="For operators."
        autoComplete="off"
        {...form.getInputProps('note')}
      />
      <Text size="sm" c="dimmed">
        Amounts are without tax.
      </Text>
    </Stack>
  )
}
