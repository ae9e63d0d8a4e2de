import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Stack } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { mayChange, maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { ImportProgress } from './import-progress.tsx'
import { ImportSource } from './import-source.tsx'
import { readImportSearch } from './search.ts'

const t = translations('portal.member-import')

/**
 * Brings in many members at once: a list is checked first, then run; a run is found again by its
 * address.
 */
export function ImportPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = readImportSearch(useSearch({ strict: false }))
  if (!maySeeSettings(tenant.role)) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={
          <LinkButton {...links.members(tenant.slug)} variant="default">
            {t('back')}
          </LinkButton>
        }
      />
      <Stack gap="lg">
        {search.import ? (
          <ImportProgress key={search.import} tenant={tenant} importId={search.import} />
        ) : mayChange(tenant) ? (
          <ImportSource
            key={tenant.id}
            tenant={tenant}
            onStarted={(id) =>
              void router.navigate({
                ...links.memberImport(tenant.slug, { import: id }),
                replace: true,
              })
            }
          />
        ) : (
          <Alert color="yellow">{t('closed')}</Alert>
        )}
      </Stack>
    </>
  )
}
