import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Alert, Checkbox, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

const t = translations('operator.prices')

interface Props {
  /** On sale now, and not in the version that takes its place. */
  currencies: readonly string[]
  confirmed: boolean
  onChange: (confirmed: boolean) => void
}

/** Asks whether a currency is meant to go off sale with the new version. */
export function LeaveOutConfirmation({ currencies, confirmed, onChange }: Props) {
  const named = formatList(currencies.map((currency) => currency.toUpperCase()))
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t('leaveOut.title')}>
      <Stack gap="sm">
        <Text size="sm">{t('leaveOut.hint', { currencies: named })}</Text>
        <Checkbox
          label={t('leaveOut.confirm', { currencies: named })}
          checked={confirmed}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </Stack>
    </Alert>
  )
}
