import type { DomainView } from '@atrium/core/mail/domains'
import { Button, Checkbox, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLinkOff } from '@tabler/icons-react'
import { ConfirmDialog } from './confirm.tsx'
import { done } from './done.ts'
import { formatList } from './format.ts'
import { translations } from './messages.ts'
import { Panel } from './panel.tsx'

const t = translations('ui.tenants')

type Shown = Pick<DomainView, 'name' | 'unicodeName' | 'verified' | 'managed' | 'releasedName'>

/** The names that others cannot claim while the tenant has them. */
export function releasable(domains: readonly Shown[] = []): string[] {
  return domains
    .filter(({ verified, managed }) => verified && !managed)
    .map(({ unicodeName }) => unicodeName)
}

interface ChoiceProps {
  domains: readonly string[]
  checked: boolean
  onChange: (checked: boolean) => void
}

/**
 * Offers, in the dialog that deletes a tenant, to give its domains up at once. Nothing for a tenant
 * without domains of its own.
 */
export function ReleaseDomainsChoice({ domains, checked, onChange }: ChoiceProps) {
  if (domains.length === 0) return null
  return (
    <Checkbox
      mt="md"
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      label={t('domains.releaseNow', { domains: formatList(domains) })}
      description={t('domains.releaseNowEffect', { count: domains.length })}
    />
  )
}

interface Props {
  /** Of the tenant. */
  name: string
  slug: string
  domains: readonly Shown[]
  onRelease: () => Promise<unknown>
  explain?: (error: unknown) => string | undefined
}

/** The domains of a deleted tenant, and the way to give them up before its purge. */
export function ReleaseDomains({ name, slug, domains, onRelease, explain }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const own = releasable(domains)
  return (
    <Panel title={t('domains.title')} description={t('domains.description')}>
      <List size="sm" spacing={6} listStyleType="none" mb={own.length > 0 ? 'md' : 0}>
        {domains.map((domain) => (
          <List.Item key={domain.name}>
            {domain.releasedName ?? domain.unicodeName}
            {domain.releasedName && (
              <Text c="dimmed" inherit>
                {t('domains.released', { name: domain.name })}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
      {own.length > 0 && (
        <Button
          variant="outline"
          color="red"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconLinkOff size={17} aria-hidden />}
          onClick={open}
        >
          {t('domains.release')}
        </Button>
      )}
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('domains.confirm', { name })}
        confirmLabel={t('domains.release')}
        typedWord={slug}
        {...(explain ? { explain } : {})}
        onConfirm={async () => {
          await onRelease()
          done(t('domains.done', { name }))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('domains.effectClaim', { domains: formatList(own) })}</List.Item>
          <List.Item>{t('domains.effectMove')}</List.Item>
          <List.Item>{t('domains.effectRestore')}</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
