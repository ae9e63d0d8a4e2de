import type { FlagView } from '@atrium/core/flags/flags'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { GoesBy } from './goes-by.tsx'
import { flagMeta } from './labels.ts'

const t = translations('operator.flags')

/** Columns of a list of flags. */
export const flagColumns = (): readonly Column<FlagView>[] => [
  {
    key: 'key',
    header: t('columns.flag'),
    primary: true,
    cell: (flag) => (
      <>
        <RowLink to="/flags/$key" params={{ key: flag.key }} style={{ overflowWrap: 'anywhere' }}>
          {flag.key}
        </RowLink>
        {flag.description && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {flag.description}
          </Text>
        )}
      </>
    ),
  },
  { key: 'state', header: t('fields.state'), cell: (flag) => <StatusBadge {...flagMeta(flag)} /> },
  { key: 'lists', header: t('columns.lists'), cell: listsOf },
  {
    key: 'staleAfter',
    header: t('fields.staleAfter'),
    cell: ({ staleAfter }) => (staleAfter === null ? '–' : <GoesBy day={staleAfter} />),
  },
  { key: 'owner', header: t('fields.owner'), breaks: true, cell: (flag) => flag.owner ?? '–' },
  { key: 'changed', header: t('columns.changed'), cell: (flag) => <When at={flag.updatedAt} /> },
]

function listsOf({ allowTenants, allowPartners, allowPlans, denyTenants }: FlagView) {
  const allowed = allowTenants.length + allowPartners.length + allowPlans.length
  const denied = denyTenants.length
  if (allowed === 0 && denied === 0) return '–'
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {t(`listed.${denied === 0 ? 'allowed' : allowed === 0 ? 'denied' : 'both'}`, {
        allowed,
        denied,
      })}
    </Text>
  )
}
