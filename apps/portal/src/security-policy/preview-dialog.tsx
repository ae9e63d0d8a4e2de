import type {
  AffectedMember,
  SecurityPolicyPreview,
} from '@atrium/core/security-policy/security-policy'
import { ProblemAlert } from '@atrium/ui/data-states'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Time } from '@atrium/ui/time'
import { Alert, Button, Group, List, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { countryName } from '../tenants/countries.ts'

const t = translations('portal.security-policy')

/** Whether there is anything to tell before a policy is saved. */
export function needsConfirmation({ affected, withoutSignIns, objection }: SecurityPolicyPreview) {
  return affected > 0 || withoutSignIns > 0 || objection !== null
}

interface Props {
  preview: SecurityPolicyPreview
  onClose: () => void
  /** Saves the policy. The dialog shows the failure when it is rejected. */
  onConfirm: () => Promise<unknown>
}

/** Whom a policy would affect, before it is saved. */
export function PreviewDialog({ preview, onClose, onConfirm }: Props) {
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>()
  const { days, affected, shutOut, withoutSignIns, items, objection, mfaRequiredFrom } = preview

  async function save() {
    setSaving(true)
    setError(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setSaving(false)
    }
  }

  return (
    <Modal opened onClose={onClose} title={t('preview.title')} size="lg">
      <Stack>
        {objection && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert">
            {objection.message}
          </Alert>
        )}
        <Text size="sm">
          {t('preview.summary', { affected, shutOut, days })}
          {mfaRequiredFrom !== null && (
            <> {t('preview.mfaFrom', { day: formatDay(mfaRequiredFrom) })}</>
          )}
        </Text>
        {items.length > 0 && (
          <ScrollArea.Autosize mah={320} type="auto" tabIndex={0} aria-label={t('preview.list')}>
            <List spacing="sm" size="sm" listStyleType="none">
              {items.map((member) => (
                <AffectedItem key={member.userId} member={member} />
              ))}
            </List>
          </ScrollArea.Autosize>
        )}
        {affected > items.length && (
          <Text size="xs" c="dimmed">
            {t('preview.more', { count: affected - items.length })}
          </Text>
        )}
        {withoutSignIns > 0 && (
          <Text size="sm" c="dimmed">
            {t('preview.unknown', { count: withoutSignIns, days })}
          </Text>
        )}
        {error !== undefined && <ProblemAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={saving}>
            {t('preview.back')}
          </Button>
          <Button
            {...(shutOut > 0 ? { color: 'red' } : {})}
            disabled={objection !== null}
            loading={saving}
            onClick={() => void save()}
          >
            {t('preview.save')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function AffectedItem({ member }: { member: AffectedMember }) {
  const { name, email, reasons, signIns, rejected, last } = member
  const place = [last.address, last.country && countryName(last.country)].filter(Boolean)
  return (
    <List.Item>
      <Text size="sm" fw={550}>
        {name}{' '}
        <Text span size="sm" fw={400} c="dimmed">
          {email}
        </Text>
      </Text>
      <Text size="sm">
        {reasons.map((reason) => t(`preview.reasons.${reason}`)).join(' ')}{' '}
        {signIns === rejected
          ? t('preview.every', { count: signIns })
          : t('preview.some', { rejected, count: signIns })}
      </Text>
      <Text size="xs" c="dimmed">
        {t.rich('preview.last', { time: () => <Time at={last.at} /> })}
        {place.length > 0 && ` · ${place.join(' · ')}`}
      </Text>
    </List.Item>
  )
}
