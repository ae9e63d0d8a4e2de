import type { ListView } from '@atrium/core/mail/lists'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconChevronLeft, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useAddressParam } from '../tenants/use-address-param.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { ListForm } from './list-form.tsx'
import { useRemoveList, useRetryList } from './mutations.ts'
import { RecipientsView } from './recipients-view.tsx'
import { listMeta } from './status-meta.ts'

const t = translations('portal.lists')

/** One distribution list: who gets its mail, and its removal. */
export function ListPage() {
  const tenant = useTenant()
  const listId = useAddressParam('listId')
  const trpc = useTRPC()
  const query = useQuery(trpc.lists.get.queryOptions({ slug: tenant.slug, listId }))
  const problem = query.error ? problemOf(query.error) : undefined
  const missing = problem?.status === 404 || problem?.status === 400

  if (problem?.status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <LinkAnchor {...links.lists(tenant.slug)} size="sm" mb="xs" display="inline-flex">
        <IconChevronLeft size={17} aria-hidden /> {t('page.all')}
      </LinkAnchor>
      {query.data ? (
        <ListContent list={query.data} />
      ) : (
        <>
          <PageHeader title={t(missing ? 'page.missing.title' : 'page.title')} />
          {query.isPending && <LoadingRows label={t('page.loading')} />}
          {missing && <Text>{t('page.missing.hint')}</Text>}
          {problem && !missing && (
            <ErrorState
              title={t('page.loadFailed')}
              error={query.error}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          )}
        </>
      )}
    </>
  )
}

function ListContent({ list }: { list: ListView }) {
  const tenant = useTenant()
  const retry = useRetryList(tenant.slug)
  const editable = mayChange(tenant) && list.state !== 'removing'
  return (
    <>
      <PageHeader
        title={list.name}
        tabTitle={t('page.tabTitle', { list: list.name, tenant: tenant.name })}
        marks={<StatusBadge {...listMeta(list.state)} />}
        description={<CopyValue label={t('page.address')} hideLabel value={list.address} />}
      />
      <Stack gap="lg" maw={760}>
        {(list.state === 'error' || list.state === 'removing') && (
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle aria-hidden />}
            title={t(list.state === 'error' ? 'page.outdated' : 'page.removing')}
          >
            <Stack gap="xs" align="flex-start">
              <Text size="sm" component="div">
                <FailureText text={list.error ?? t('page.noResponse')} /> {t('page.retried')}
              </Text>
              {mayChange(tenant) && list.state === 'error' && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh size={16} aria-hidden />}
                  loading={retry.isPending}
                  onClick={() => retry.mutate({ slug: tenant.slug, listId: list.id })}
                >
                  {t('page.retry')}
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        {retry.error && (
          <ProblemAlert
            title={t('page.retryFailed')}
            error={retry.error}
            message={explain(retry.error)}
          />
        )}
        {editable ? (
          <ListForm key={list.id} list={list} />
        ) : (
          <RecipientsView list={list} domains={tenant.domains} />
        )}
        {editable && <RemovePanel list={list} />}
      </Stack>
    </>
  )
}

function RemovePanel({ list }: { list: ListView }) {
  const { slug } = useTenant()
  const router = useRouter()
  const remove = useRemoveList(slug)
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <Panel title={t('remove.title')} description={t('remove.description')}>
      <Group>
        <Button color="red" variant="light" onClick={open}>
          {t('remove.submit')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('remove.question', { list: list.name })}
        confirmLabel={t('remove.submit')}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, listId: list.id })
          done(t('remove.done', { list: list.name }))
          await router.navigate({ ...links.lists(slug), replace: true })
        }}
      >
        {t.rich('remove.effects', {
          count: list.recipients.length,
          address: list.address,
          strong: (chunks) => <strong>{chunks}</strong>,
        })}
      </ConfirmDialog>
    </Panel>
  )
}
