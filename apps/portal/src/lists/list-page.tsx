import type { ListView } from '@atrium/core/mail/lists'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
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
        <IconChevronLeft size={17} aria-hidden /> All distribution lists
      </LinkAnchor>
      {query.data ? (
        <ListContent list={query.data} />
      ) : (
        <>
          <PageHeader title={missing ? 'No such distribution list' : 'Distribution list'} />
          {query.isPending && <LoadingRows label="Loading the list" />}
          {missing && <Text>It may have been removed.</Text>}
          {problem && !missing && (
            <ErrorState
              title="The list could not be loaded."
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
        tabTitle={`${list.name}, list of ${tenant.name}`}
        marks={<StatusBadge {...listMeta[list.state]} />}
        description={<CopyValue label="address of the list" hideLabel value={list.address} />}
      />
      <Stack gap="lg" maw={760}>
        {(list.state === 'error' || list.state === 'removing') && (
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle aria-hidden />}
            title={
              list.state === 'error'
                ? 'The mail server does not have the list as it stands here'
                : 'The list is being removed'
            }
          >
            <Stack gap="xs" align="flex-start">
              <Text size="sm" component="div">
                <FailureText text={list.error ?? 'The mail server did not respond.'} /> It is
                retried automatically.
              </Text>
              {mayChange(tenant) && list.state === 'error' && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh size={16} aria-hidden />}
                  loading={retry.isPending}
                  onClick={() => retry.mutate({ slug: tenant.slug, listId: list.id })}
                >
                  Try now
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        {retry.error && (
          <ProblemAlert
            title="The list could not be brought up to date."
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
    <Panel title="Remove this list" description="Its recipients keep their own addresses and mail.">
      <Group>
        <Button color="red" variant="light" onClick={open}>
          Remove list
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Remove ${list.name}?`}
        confirmLabel="Remove list"
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, listId: list.id })
          done(`${list.name} has been removed.`)
          await router.navigate({ ...links.lists(slug), replace: true })
        }}
      >
        Mail to <strong>{list.address}</strong> will be refused and no longer reaches its{' '}
        {list.recipients.length === 1
          ? 'recipient'
          : `${formatCount(list.recipients.length)} recipients`}
        . Nobody’s mailbox is touched.
      </ConfirmDialog>
    </Panel>
  )
}
