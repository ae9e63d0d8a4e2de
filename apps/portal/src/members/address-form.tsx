import '@atrium/ui/issue-messages'
import { memberAddress } from '@atrium/core/members/members'
import { translations } from '@atrium/ui/messages'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { explain } from '../tenants/problems.ts'

const t = translations('portal.members')

interface Props {
  label: string
  description?: string
  initial?: string
  submitLabel: string
  onCancel?: () => void
  /** Gets the address in its canonical form; a rejection is shown at the field. */
  onSubmit: (address: string) => Promise<unknown>
}

/** One address, a local part or whole, with the reason at the field when it cannot be. */
export function AddressForm({
  label,
  description,
  initial = '',
  submitLabel,
  onCancel,
  onSubmit,
}: Props) {
  const [text, setText] = useState(initial)
  const [fault, setFault] = useState<string>()
  const [pending, setPending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const parsed = memberAddress.safeParse(text)
    if (!parsed.success)
      return setFault(text.trim() === '' ? t('addresses.empty') : parsed.error.issues[0]?.message)
    setPending(true)
    setFault(undefined)
    try {
      await onSubmit(parsed.data)
      setText('')
    } catch (error) {
      const problem = problemOf(error)
      setFault(Object.values(fieldErrors(problem))[0] ?? explain(error) ?? problem.message)
    } finally {
      setPending(false)
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label={label}
        description={description}
        value={text}
        error={fault}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        inputMode="email"
        mt="xs"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs" loading={pending}>
          {submitLabel}
        </Button>
        {onCancel && (
          <Button size="xs" variant="subtle" color="gray" onClick={onCancel} disabled={pending}>
            {t('actions.cancel')}
          </Button>
        )}
      </Group>
    </form>
  )
}
