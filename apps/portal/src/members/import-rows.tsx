import type { ImportRow, ImportView } from '@atrium/core/members/member-import'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ClaimLink } from './claim-link.tsx'
import { rowMeta } from './import-status-meta.ts'

const t = translations('portal.member-import')

// A list of thousands is read by what is wrong in it; drawing all of it would only make the page
// slow.
const step = 100

/** Rows of an import with the verdict of each; the rejected ones can be looked at alone. */
export function ImportRows({ tenant, view }: { tenant: TenantView; view: ImportView }) {
  const rejected = view.rows.filter(isProblem)
  const [chosen, setChosen] = useState<'problems' | 'all'>()
  const shown = chosen ?? (rejected.length > 0 ? 'problems' : 'all')
  const [length, setLength] = useState(step)
  const rows = shown === 'problems' ? rejected : view.rows
  return (
    <Stack gap="sm">
      {rejected.length > 0 && rejected.length < view.rows.length && (
        <Group>
          <SegmentedControl
            aria-label={t('rows.filter')}
            value={shown}
            onChange={(value) => {
              setChosen(value === 'all' ? 'all' : 'problems')
              setLength(step)
            }}
            data={[
              { value: 'problems', label: t('rows.problems', { count: rejected.length }) },
              { value: 'all', label: t('rows.all', { count: view.rows.length }) },
            ]}
          />
        </Group>
      )}
      {rows.length > 0 && (
        <ResponsiveTable
          caption={t('rows.caption')}
          columns={columnsOf(tenant, view.dryRun)}
          rows={rows.slice(0, length)}
          rowKey={(row) => String(row.line)}
        />
      )}
      {rows.length > length && (
        <Group>
          <Button variant="default" size="xs" onClick={() => setLength(length + step)}>
            {t('rows.more', { count: Math.min(step, rows.length - length) })}
          </Button>
          <Text size="sm" c="dimmed">
            {t('rows.shown', { shown: length, all: rows.length })}
          </Text>
        </Group>
      )}
    </Stack>
  )
}

function isProblem({ state }: ImportRow): boolean {
  return state === 'refused' || state === 'incomplete'
}

function columnsOf(tenant: TenantView, dryRun: boolean): Column<ImportRow>[] {
  return [
    {
      key: 'email',
      header: t('rows.address'),
      primary: true,
      cell: ({ email, name }) => (
        <>
          <Text fw={550} size="sm">
            {email || t('rows.noAddress')}
          </Text>
          {name && (
            <Text size="sm" c="dimmed">
              {name}
            </Text>
          )}
        </>
      ),
    },
    { key: 'line', header: t('rows.line'), cell: ({ line }) => line },
    {
      key: 'state',
      header: t('rows.verdict'),
      cell: ({ state }) => <StatusBadge {...rowMeta(state, dryRun)} />,
    },
    {
      key: 'reason',
      header: t('rows.reason'),
      cell: (row) => <Reason tenant={tenant} row={row} />,
    },
  ]
}

function Reason({ tenant, row }: { tenant: TenantView; row: ImportRow }) {
  const { code, email, message, issues } = row
  if (code === 'address_claim_required')
    return (
      <div>
        <div>{message}</div>
        <ClaimLink tenant={tenant} email={email} />
      </div>
    )
  if (issues.length === 0) return <>{message ?? '–'}</>
  return (
    <div>
      {issues.map((issue) => (
        <div key={issue.path + issue.message}>
          {issue.path ? t('rows.issue', issue) : issue.message}
        </div>
      ))}
    </div>
  )
}
