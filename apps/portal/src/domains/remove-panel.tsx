import type { DomainDetail } from '@atrium/core/mail/domains'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.domains')

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
    <Panel title={t('remove.title')}>
      <Stack>
        {domain.usage ? (
          <DetailList>
            <DetailItem label={t('remove.mailboxes')}>
              <LinkAnchor {...links.members(slug)} inherit>
                {domain.usage.accounts}
              </LinkAnchor>
            </DetailItem>
            <DetailItem label={t('remove.aliases')}>
              <LinkAnchor {...links.aliases(slug)} inherit>
                {domain.usage.aliases}
              </LinkAnchor>
            </DetailItem>
            <DetailItem label={t('remove.lists')}>
              <LinkAnchor {...links.lists(slug)} inherit>
                {domain.usage.lists}
              </LinkAnchor>
            </DetailItem>
          </DetailList>
        ) : (
          <Text size="sm" c="dimmed">
            {t('remove.unknownUse')}
          </Text>
        )}
        {obstacles.length > 0 && (
          <div>
            <Text size="sm" fw={550}>
              {t('remove.notYet')}
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
            {t('remove.action')}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('remove.question', { domain: domain.unicodeName })}
        confirmLabel={t('remove.action')}
        typedWord={domain.name}
        explain={explainRemoval}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, domain: domain.name })
          done(t('remove.done', { domain: domain.unicodeName }))
          await router.navigate({ ...links.domains(slug), replace: true })
        }}
      >
        <Stack gap="xs">
          <Text size="sm">
            {t('remove.intro', { domain: domain.unicodeName, tenant: tenantName })}
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>{t('remove.noMail')}</List.Item>
            <List.Item>{t('remove.keys')}</List.Item>
            <List.Item>{t('remove.history')}</List.Item>
          </List>
          <Text size="sm">{t('remove.afterwards')}</Text>
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
