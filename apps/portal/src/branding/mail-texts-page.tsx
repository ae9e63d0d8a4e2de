import { QueryState } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { languageOptions } from './language-names.ts'
import { MailTextEditor } from './mail-text-editor.tsx'
import type { MailTextView } from './mail-text-form.ts'
import { readMailTextsSearch } from './search.ts'

const t = translations('portal.branding')

/** The texts of the mails that the workplace sends, one at a time. */
export function MailTextsPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = readMailTextsSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const { slug } = tenant
  const query = useQuery(trpc.branding.get.queryOptions({ slug }))
  // The same query unless a language is chosen.
  const standards = useQuery(
    trpc.branding.get.queryOptions(
      { slug, language: search.language },
      { placeholderData: keepPreviousData },
    ),
  )
  const templates = query.data?.templates ?? []
  const shown = templates.find(({ key }) => key === search.template) ?? templates[0]
  const standard = standards.data?.templates.find(({ key }) => key === shown?.key)?.standard
  const language = standards.data?.standardLanguage

  function show(change: { template?: string; language?: string }) {
    const next = readMailTextsSearch({ ...search, ...change })
    void router.navigate({ ...links.mailTexts(slug, next), replace: true })
  }

  if (!maySeeSettings(tenant.role) || (query.error && problemOf(query.error).status === 403))
    return <NoAccess slug={slug} />
  return (
    <>
      <LinkAnchor {...links.branding(slug)} size="sm" mb="xs" display="inline-flex">
        <IconChevronLeft size={17} aria-hidden />
        {t('texts.back')}
      </LinkAnchor>
      <PageHeader
        title={t('texts.title')}
        tabTitle={t('texts.tabTitle', { tenant: tenant.name })}
        description={t('texts.description')}
      />
      <QueryState
        query={query.data ? standards : query}
        loading={t('texts.loading')}
        failed={t('texts.loadFailed')}
      />
      {shown && standard && language && (
        <Stack gap="lg">
          <div>
            <Group align="flex-end">
              <NativeSelect
                label={t('message')}
                w={{ base: '100%', xs: 420 }}
                data={templates.map((one) => ({ value: one.key, label: labelOf(one) }))}
                value={shown.key}
                onChange={(event) => show({ template: event.currentTarget.value })}
              />
              {!shown.override && (
                <NativeSelect
                  label={t('texts.language')}
                  w={{ base: '100%', xs: 220 }}
                  data={languageOptions()}
                  value={language}
                  onChange={(event) => show({ language: event.currentTarget.value })}
                />
              )}
            </Group>
            <Text size="sm" c="dimmed" mt={6}>
              {shown.description}
            </Text>
          </div>
          <MailTextEditor
            key={[tenant.id, shown.key, language, shown.override?.updatedAt].join(' ')}
            template={{ ...shown, standard }}
            standardLanguage={language}
          />
        </Stack>
      )}
    </>
  )
}

function labelOf({ title, override }: MailTextView): string {
  return override ? t('texts.own', { message: title }) : title
}
