import { type BookingPageView, BookingPageWords } from '@atrium/core/scheduling/hosts'
import { CopyValue } from '@atrium/ui/copy'
import { ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { Snippet } from '@atrium/ui/snippet'
import { zodForm } from '@atrium/ui/zod-form'
import { Anchor, Button, Grid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { useUpdateBookingPage } from './host-mutations.ts'

const t = translations('portal.scheduling-booking-page')
const area = translations('portal.scheduling')

/** The page that visitors open first: its texts, its link, and where else it may be shown. */
export function BookingPagePage() {
  const tenant = useTenant()
  const query = useQuery(useTRPC().scheduling.hosts.page.queryOptions({ slug: tenant.slug }))
  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={
          query.data?.publicUrl && (
            <Button
              component="a"
              href={query.data.publicUrl}
              target="_blank"
              rel="noreferrer"
              variant="default"
              leftSection={<IconExternalLink size={17} aria-hidden />}
            >
              {t('open')}
            </Button>
          )
        }
      />
      <QueryState query={query} loading={t('loading')} failed={t('failed')} />
      {query.data && !query.error && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Panel title={t('form.title')}>
              <PageForm key={query.data.version} page={query.data} />
            </Panel>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="lg">
              <Link page={query.data} />
              <Embedding page={query.data} />
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </>
  )
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const check = zodForm(BookingPageWords)

function PageForm({ page }: { page: BookingPageView }) {
  const tenant = useTenant()
  const editable = mayChange(tenant)
  const update = useUpdateBookingPage(tenant.slug)
  const [rejected, setRejected] = useState<unknown>()
  const form = useForm({
    initialValues: {
      enabled: page.enabled,
      headline: page.headline ?? '',
      intro: page.intro ?? '',
      origins: page.embedOrigins.join('\n'),
    },
    validate: ({ headline, intro, origins }) =>
      atField(check({ headline, intro, embedOrigins: linesOf(origins) }), linesOf(origins)),
  })

  function submit({ enabled, headline, intro, origins }: typeof form.values) {
    setRejected(undefined)
    const embedOrigins = linesOf(origins)
    const words = {
      headline: headline.trim() === '' ? null : headline,
      intro: intro.trim() === '' ? null : intro,
    }
    update.mutate(
      { slug: tenant.slug, version: page.version, enabled, ...words, embedOrigins },
      {
        onSuccess: () => done(t('form.saved')),
        onError: (error) => {
          const placed = showRejection(
            { setErrors: (errors) => form.setErrors(atField(errors, embedOrigins)) },
            error,
          )
          if (!placed) setRejected(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <Switch
          label={t('form.enabled')}
          description={t('form.enabledHint')}
          disabled={!editable}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        <TextInput
          label={t('form.headline')}
          placeholder={t('form.headlinePlaceholder', { tenant: tenant.name })}
          maxLength={120}
          disabled={!editable}
          {...form.getInputProps('headline')}
        />
        <Textarea
          label={t('form.intro')}
          description={t('form.introHint')}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={2_000}
          disabled={!editable}
          {...form.getInputProps('intro')}
        />
        <Textarea
          label={t('form.origins')}
          description={t('form.originsHint')}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          disabled={!editable}
          {...form.getInputProps('origins')}
        />
        {rejected !== undefined && (
          <ProblemAlert title={t('form.failed')} error={rejected} message={explain(rejected)} />
        )}
        {editable ? (
          <SaveButtons
            label={t('form.save')}
            saving={update.isPending}
            dirty={form.isDirty()}
            onDiscard={form.reset}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {t('form.adminsOnly')}
          </Text>
        )}
      </Stack>
    </form>
  )
}

/** One field holds all origins, so the sentence about one of them names it. */
function atField(
  errors: Record<string, string>,
  origins: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      const [field, index] = path.split('.')
      if (field !== 'embedOrigins') return [path, message]
      const origin = index === undefined ? undefined : origins[Number(index)]
      return [
        'origins',
        origin === undefined ? message : t('form.issueOf', { origin, issue: message }),
      ]
    }),
  )
}

function Link({ page: { publicUrl } }: { page: BookingPageView }) {
  return (
    <Panel title={t('link.title')} description={t('link.description')}>
      {publicUrl ? (
        <Stack gap="xs" align="flex-start">
          <CopyValue label={t('link.label')} value={publicUrl} hideLabel />
        </Stack>
      ) : (
        <Text size="sm">{area('noBookingPages')}</Text>
      )}
    </Panel>
  )
}

function Embedding({ page: { publicUrl, embedOrigins } }: { page: BookingPageView }) {
  if (!publicUrl) return null
  const { origin } = new URL(publicUrl)
  const snippet = `<div data-atrium-booking="${publicUrl}"></div>\n<script src="${origin}/embed.js" async></script>`
  return (
    <Panel title={t('embed.title')} description={t('embed.description')}>
      <Stack>
        <Snippet label={t('embed.snippet')} text={snippet} />
        {embedOrigins.length === 0 && (
          <Text size="sm" c="dimmed">
            {t.rich('embed.nameSite', {
              link: (chunks) => (
                <Anchor href={publicUrl} target="_blank" rel="noreferrer" inherit>
                  {chunks}
                </Anchor>
              ),
            })}
          </Text>
        )}
      </Stack>
    </Panel>
  )
}
