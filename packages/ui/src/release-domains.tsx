import type { DomainView } from '@atrium/core/mail/domains'
import { Button, Checkbox, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLinkOff } from '@tabler/icons-react'
import { ConfirmDialog } from './confirm.tsx'
import { done } from './done.ts'
import { Panel } from './panel.tsx'

type Shown = Pick<DomainView, 'name' | 'unicodeName' | 'verified' | 'managed' | 'releasedName'>

/** The names that others cannot claim while the tenant has them. */
export function releasable(domains: readonly Shown[] = []): string[] {
  return domains
    .filter(({ verified, managed }) => verified && !managed)
    .map(({ unicodeName }) => unicodeName)
}

const listed = (names: readonly string[]) => new Intl.ListFormat('en').format(names)

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
      label={`Release ${listed(domains)} now`}
      description={`Others can claim ${domains.length === 1 ? 'it' : 'them'} at once. Mailboxes, lists and sign-in addresses move to names below the platform's domain. A restore moves them back, unless somebody else has proved the domain.`}
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
    <Panel
      title="Domains"
      description="Nobody else can claim a domain until everything is purged, unless it is released."
    >
      <List size="sm" spacing={6} listStyleType="none" mb={own.length > 0 ? 'md' : 0}>
        {domains.map((domain) => (
          <List.Item key={domain.name}>
            {domain.releasedName ?? domain.unicodeName}
            {domain.releasedName && (
              <Text c="dimmed" inherit>
                Released. What is on it is kept under {domain.name}.
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
          Release domains
        </Button>
      )}
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Release the domains of ${name}?`}
        confirmLabel="Release domains"
        typedWord={slug}
        {...(explain ? { explain } : {})}
        onConfirm={async () => {
          await onRelease()
          done(`The domains of ${name} are released.`)
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>Others can claim {listed(own)} at once.</List.Item>
          <List.Item>
            Mailboxes, lists and sign-in addresses move to names below the platform's domain.
            Nothing in them is lost.
          </List.Item>
          <List.Item>
            A restore moves them back, unless somebody else has proved the domain by then.
          </List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
