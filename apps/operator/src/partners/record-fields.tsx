import { SimpleGrid, TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'

interface Props {
  /** The inputs of a Mantine form whose fields bear the names of the API. */
  inputOf: (path: string) => Pick<ComponentProps<typeof TextInput>, 'value' | 'onChange' | 'error'>
}

/** Whom to talk to. */
export function ContactFields({ inputOf }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label="Contact person" autoComplete="off" {...inputOf('contactInfo.name')} />
      <TextInput
        label="Contact e-mail"
        type="email"
        autoComplete="off"
        {...inputOf('contactInfo.email')}
      />
      <TextInput
        label="Contact phone"
        type="tel"
        autoComplete="off"
        {...inputOf('contactInfo.phone')}
      />
    </SimpleGrid>
  )
}

/** Whom statements and payouts are made out to. */
export function BillingFields({ inputOf }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label="Company" autoComplete="off" {...inputOf('billingInfo.company')} />
      <TextInput label="VAT number" autoComplete="off" {...inputOf('billingInfo.vatNumber')} />
      <TextInput
        label="Country"
        placeholder="DE"
        maxLength={2}
        autoComplete="off"
        {...inputOf('billingInfo.country')}
      />
      <TextInput
        label="Billing e-mail"
        type="email"
        autoComplete="off"
        {...inputOf('billingInfo.email')}
      />
    </SimpleGrid>
  )
}
