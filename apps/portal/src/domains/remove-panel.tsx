import type { DomainDetail } from '@atrium/core/mail/domains'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { useRemoveDomain } from './mutations.ts'
import { removalObstacles } from './records.ts'

/** What uses a domain, and its removal when nothing does. */
export function RemovePanel({ domain }: { domain: DomainDetail }) {
  const { slug, name: tenantName } = useTenant()
  const router = useRouter()
  const trpc = useTRPC()
  const list = useQuery(trpc.domains.list.queryOptions({ slug }))
  const [asking, { open, close }] = useDisclosure(false)
  const remove = useRemoveDomain(slug)
  const siblings = Math.max(0, (list.data?.items.length ?? 1) - 1)
  const obstacles = removalObstacles(domain, siblings)
  return (
    <Panel title="Use and removal">
      <Stack>
        {domain.usage ? (
          <DetailList>
            <DetailItem label="Mailboxes">
              <LinkAnchor {...links.members(slug)} inherit>
                {domain.usage.accounts}
              </LinkAnchor>
            </DetailItem>
            <DetailItem label="Aliases">
              <LinkAnchor {...links.aliases(slug)} inherit>
                {domain.usage.aliases}
              </LinkAnchor>
            </DetailItem>
            <DetailItem label="Distribution lists">
              <LinkAnchor {...links.lists(slug)} inherit>
                {domain.usage.lists}
              </LinkAnchor>
            </DetailItem>
          </DetailList>
        ) : (
          <Text size="sm" c="dimmed">
            The mail server did not tell what uses this domain. It is asked again before anything is
            removed.
          </Text>
        )}
        {obstacles.length > 0 && (
          <div>
            <Text size="sm" fw={550}>
              It cannot be removed yet:
            </Text>
            <List size="sm" spacing={4}>
              {obstacles.map((obstacle) => (
                <List.Item key={obstacle}>{obstacle}</List.Item>
              ))}
            </List>
          </div>
        )}
        <Group>
          <Button color="red" variant="light" onClick={open} disabled={obstacles.length > 0}>
            Remove domain
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Remove ${domain.unicodeName}?`}
        confirmLabel="Remove domain"
        typedWord={domain.name}
        explain={explainRemoval}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, domain: domain.name })
          done(`${domain.unicodeName} has been removed.`)
          await router.navigate({ ...links.domains(slug), replace: true })
        }}
      >
        <Stack gap="xs">
          <Text size="sm">
            This takes {domain.unicodeName} out of {tenantName}:
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>mail to the domain is no longer taken here</List.Item>
            <List.Item>
              its signing keys are destroyed; adding it again makes new ones to publish
            </List.Item>
            <List.Item>the history of its checks goes with it</List.Item>
          </List>
          <Text size="sm">
            Take the records out of its DNS afterwards, so that mail does not go to a server that
            refuses it.
          </Text>
        </Stack>
      </ConfirmDialog>
    </Panel>
  )
}

/** A domain in use: the server's sentence, with the counts that it gives as issues. */
function explainRemoval(error: unknown): string | undefined {
  const problem = problemOf(error)
  if (problem.code !== 'domain_in_use' || problem.issues.length === 0) return explain(error)
  return [problem.message, ...problem.issues.map(({ message }) => message)].join(' ')
}
