import { translations } from '@atrium/ui/messages'
import { SimpleGrid, TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'

const t = translations('operator.partners')

interface Props {
  /** The inputs of a Mantine form whose fields bear the names of the API. */
  inputOf: (path: string) => Pick<ComponentProps<typeof TextInput>, 'value' | 'onChange' | 'error'>
}

/** The person to contact at the partner. */
export function ContactFields({ inputOf }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={t('fields.contactPerson')}
        autoComplete="off"
        {...inputOf('contactInfo.name')}
      />
      <TextInput
        label={t('fields.contactEmail')}
        type="email"
        autoComplete="off"
        {...inputOf('contactInfo.email')}
      />
      <TextInput
        label={t('fields.contactPhone')}
        type="tel"
        autoComplete="off"
        {...inputOf('contactInfo.phone')}
      />
    </SimpleGrid>
  )
}

/** The addressee of statements and payouts. */
export function BillingFields({ inputOf }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={t('fields.company')}
        autoComplete="off"
        {...inputOf('billingInfo.company')}
      />
      <TextInput
        label={t('fields.vatNumber')}
        autoComplete="off"
        {...inputOf('billingInfo.vatNumber')}
      />
      <TextInput
        label={t('fields.country')}
        placeholder="DE"
        maxLength={2}
        autoComplete="off"
        {...inputOf('billingInfo.country')}
      />
      <TextInput
        label={t('fields.billingEmail')}
        type="email"
        autoComplete="off"
        {...inputOf('billingInfo.email')}
      />
    </SimpleGrid>
  )
}
