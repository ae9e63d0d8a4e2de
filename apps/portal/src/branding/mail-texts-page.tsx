import { QueryState } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { NativeSelect, Stack, Text } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { MailTextEditor } from './mail-text-editor.tsx'
import type { MailTextView } from './mail-text-form.ts'

const t = translations('portal.branding')

/** The texts of the mails that the workplace sends, one at a time. */
export function MailTextsPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const trpc = useTRPC()
  const query = useQuery(trpc.branding.get.queryOptions({ slug: tenant.slug }))
  const templates = query.data?.templates ?? []
  const shown = templates.find(({ key }) => key === search.template) ?? templates[0]

  if (!maySeeSettings(tenant.role) || (query.error && problemOf(query.error).status === 403))
    return <NoAccess slug={tenant.slug} />
  return (
    <>
      <LinkAnchor {...links.branding(tenant.slug)} size="sm" mb="xs" display="inline-flex">
        <IconChevronLeft size={17} aria-hidden />
        {t('texts.back')}
      </LinkAnchor>
      <PageHeader
        title={t('texts.title')}
        tabTitle={t('texts.tabTitle', { tenant: tenant.name })}
        description={t('texts.description')}
      />
      <QueryState query={query} loading={t('texts.loading')} failed={t('texts.loadFailed')} />
      {shown && (
        <Stack gap="lg">
          <div>
            <NativeSelect
              label={t('message')}
              maw={420}
              data={templates.map((one) => ({ value: one.key, label: labelOf(one) }))}
              value={shown.key}
              onChange={(event) =>
                void router.navigate({
                  ...links.mailTexts(tenant.slug, event.currentTarget.value),
                  replace: true,
                })
              }
            />
            <Text size="sm" c="dimmed" mt={6}>
              {shown.description}
            </Text>
          </div>
          <MailTextEditor
            key={`${tenant.id} ${shown.key} ${shown.override?.updatedAt}`}
            template={shown}
          />
        </Stack>
      )}
    </>
  )
}

function labelOf({ title, override }: MailTextView): string {
  return override ? t('texts.own', { message: title }) : title
}
