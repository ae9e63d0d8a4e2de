import type { FlagView } from '@atrium/core/flags/flags'
import { LinkAnchor } from '@atrium/ui/links'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { GoesBy } from './goes-by.tsx'
import { flagMeta } from './labels.ts'

/** Columns of a list of flags. */
export const flagColumns: readonly Column<FlagView>[] = [
  {
    key: 'key',
    header: 'Flag',
    primary: true,
    cell: (flag) => (
      <>
        <LinkAnchor
          to="/flags/$key"
          params={{ key: flag.key }}
          fw={550}
          fz="inherit"
          underline="hover"
          style={{ overflowWrap: 'anywhere' }}
          data-row-link
        >
          {flag.key}
        </LinkAnchor>
        {flag.description && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {flag.description}
          </Text>
        )}
      </>
    ),
  },
  { key: 'state', header: 'State', cell: (flag) => <StatusBadge {...flagMeta(flag)} /> },
  { key: 'lists', header: 'Lists', cell: listsOf },
  {
    key: 'staleAfter',
    header: 'To go by',
    cell: ({ staleAfter }) => (staleAfter === null ? '–' : <GoesBy day={staleAfter} />),
  },
  { key: 'owner', header: 'Owner', breaks: true, cell: (flag) => flag.owner ?? '–' },
  { key: 'changed', header: 'Changed', cell: (flag) => <When at={flag.updatedAt} /> },
]

function listsOf({ allowTenants, allowPartners, allowPlans, denyTenants }: FlagView) {
  const allowed = allowTenants.length + allowPartners.length + allowPlans.length
  const parts = [
    allowed > 0 && `${allowed} allowed`,
    denyTenants.length > 0 && `${denyTenants.length} denied`,
  ].filter(Boolean)
  if (parts.length === 0) return '–'
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {parts.join(', ')}
    </Text>
  )
}
