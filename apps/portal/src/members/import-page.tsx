import { LinkButton } from '@atrium/ui/links'
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
        title="Import members"
        tabTitle={`Import members of ${tenant.name}`}
        description="From a CSV file. Every row is checked before anything is made."
        actions={
          <LinkButton {...links.members(tenant.slug)} variant="default">
            Back to members
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
          <Alert color="yellow">Nobody can be added while the workplace is closed.</Alert>
        )}
      </Stack>
    </>
  )
}
