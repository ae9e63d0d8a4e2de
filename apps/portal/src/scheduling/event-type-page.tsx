import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import type { HostView } from '@atrium/core/scheduling/hosts'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Grid, Stack, Switch, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconChevronLeft, IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useAddressParam } from '../tenants/use-address-param.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import {
  atFields,
  changesOf,
  checkEventType,
  type EventTypeFormValues,
  fromEventType,
} from './event-type-form.ts'
import { BasicsGroup, RulesGroup, TimesGroup } from './event-type-groups.tsx'
import { EventTypePreviewPanel } from './event-type-preview.tsx'
import { stateMeta } from './event-type-status-meta.ts'
import layout from './offer-layout.module.css'
import { useUpdateEventType } from './offer-mutations.ts'
import { QuestionsEditor } from './questions-editor.tsx'
import { SlotExplanationPanel } from './slot-explanation.tsx'
import { TeamGroup } from './team-group.tsx'
import { stateOf, withoutScheme } from './time-text.ts'

const t = translations('portal.scheduling-event-types')

/** One event type: its settings in groups, and beside them what visitors would see. */
export function EventTypePage() {
  const { slug } = useTenant()
  const eventTypeId = useAddressParam('eventTypeId')
  const trpc = useTRPC()
  const query = useQuery(trpc.scheduling.eventTypes.get.queryOptions({ slug, eventTypeId }))
  const hosts = useQuery(trpc.scheduling.hosts.list.queryOptions({ slug }))
  const problem = query.error ? problemOf(query.error) : undefined
  const missing = problem?.status === 404 || problem?.status === 400
  const host = hosts.data?.items.find(({ id }) => id === query.data?.hostId)
  const failed = missing ? undefined : (query.error ?? hosts.error)

  if (problem?.status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <LinkAnchor
        {...links.eventTypes(slug, host ? { host: host.id } : {})}
        size="sm"
        mb="xs"
        display="inline-flex"
      >
        <IconChevronLeft size={17} aria-hidden /> {t('edit.all')}
      </LinkAnchor>
      {query.data && host && hosts.data ? (
        <EventTypeContent
          key={`${query.data.id} ${query.data.version}`}
          eventType={query.data}
          host={host}
          hosts={hosts.data.items}
        />
      ) : (
        <>
          <PageHeader title={t(missing ? 'edit.missing' : 'edit.title')} />
          {missing && <Text>{t('edit.missingHint')}</Text>}
          {!missing && !failed && <LoadingRows label={t('edit.loading')} />}
          {failed && (
            <ErrorState
              title={t('edit.loadFailed')}
              error={failed}
              onRetry={() => void Promise.all([query.refetch(), hosts.refetch()])}
              retrying={query.isFetching || hosts.isFetching}
            />
          )}
        </>
      )}
    </>
  )
}

function EventTypeContent({
  eventType,
  host,
  hosts,
}: {
  eventType: EventTypeView
  host: HostView
  hosts: readonly HostView[]
}) {
  const tenant = useTenant()
  const { slug } = tenant
  const update = useUpdateEventType()
  const schedules = useQuery(
    useTRPC().scheduling.schedules.list.queryOptions({ slug, hostId: host.id, limit: 50 }),
  )
  const [rejected, setRejected] = useState<unknown>()
  const form = useForm<EventTypeFormValues>({
    initialValues: fromEventType(eventType),
    validate: checkEventType(slug, host.id),
  })
  const editable = host.mayEdit && tenant.status !== 'suspended' && tenant.status !== 'deleted'
  const group = { form, disabled: !editable }
  const state = stateOf(eventType)

  function submit(values: EventTypeFormValues) {
    setRejected(undefined)
    const changes = changesOf(slug, eventType, values)
    if (!changes) return form.reset()
    update.mutate(changes, {
      onSuccess: () => done(t('edit.saved')),
      onError: (error) => {
        const errors = atFields(fieldErrors(problemOf(error)))
        form.setErrors(errors)
        focusFirstError(errors)
        setRejected(error)
      },
    })
  }

  return (
    <>
      <PageHeader
        title={eventType.title}
        tabTitle={t('edit.tabTitle', { title: eventType.title, host: host.name })}
        marks={state && <StatusBadge {...stateMeta(state)} />}
        description={
          eventType.publicUrl && (
            <CopyValue label={t('edit.link')} hideLabel value={eventType.publicUrl} />
          )
        }
      />
      {!host.credential.present && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconPlugConnectedX aria-hidden />}
          title={t('edit.notConnected')}
          mb="lg"
        >
          {t.rich('edit.notConnectedHint', {
            host: host.name,
            link: (chunks) => (
              <LinkAnchor {...links.hosts(slug)} inherit>
                {chunks}
              </LinkAnchor>
            ),
          })}
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
            <Stack gap="lg">
              <Panel title={t('basics.title')}>
                <BasicsGroup {...group} address={addressBefore(eventType)} />
              </Panel>
              <Panel title={t('times.title')} description={t('times.description')}>
                <TimesGroup {...group} schedules={schedules.data?.items ?? []} />
              </Panel>
              <Panel title={t('team.title')}>
                <TeamGroup
                  {...group}
                  host={host}
                  hosts={hosts}
                  forAll={maySeeSettings(tenant.role)}
                />
              </Panel>
              <Panel title={t('questions.title')}>
                <QuestionsEditor
                  questions={form.values.fields}
                  errors={form.errors}
                  disabled={!editable}
                  onChange={(fields) => {
                    form.clearErrors()
                    form.setFieldValue('fields', fields)
                  }}
                />
              </Panel>
              <Panel title={t('rules.title')}>
                <RulesGroup {...group} />
              </Panel>
              <Panel title={t('visibility.title')}>
                <Stack>
                  <Switch
                    label={t('visibility.active')}
                    description={t('visibility.activeHint')}
                    disabled={!editable}
                    {...form.getInputProps('active', { type: 'checkbox' })}
                  />
                  <Switch
                    label={t('visibility.listed')}
                    description={t('visibility.listedHint')}
                    disabled={!editable}
                    {...form.getInputProps('listed', { type: 'checkbox' })}
                  />
                </Stack>
              </Panel>
              {rejected !== undefined && <Rejection error={rejected} />}
              {editable && (
                <div className={layout.save} data-dirty={form.isDirty() || undefined}>
                  <SaveButtons
                    label={t('edit.save')}
                    saving={update.isPending}
                    dirty={form.isDirty()}
                    onDiscard={form.reset}
                  />
                </div>
              )}
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg" className={layout.beside}>
            <Panel title={t('preview.title')} description={t('preview.description')}>
              <EventTypePreviewPanel host={host} eventTypeId={eventType.id} values={form.values} />
            </Panel>
            <Panel title={t('explain.title')} description={t('explain.description')}>
              <SlotExplanationPanel eventType={eventType} />
            </Panel>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

/** The link without its last part. */
function addressBefore({ publicUrl }: EventTypeView): string | null {
  return publicUrl === null ? null : withoutScheme(publicUrl.slice(0, publicUrl.lastIndexOf('/')))
}

function Rejection({ error }: { error: unknown }) {
  const stale = problemOf(error).code === 'version_conflict'
  return (
    <ProblemAlert
      title={t('edit.failed')}
      error={error}
      message={stale ? t('edit.conflict') : explain(error)}
    />
  )
}
