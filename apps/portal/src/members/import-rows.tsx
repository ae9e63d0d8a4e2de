import type { ImportRow, ImportView } from '@atrium/core/members/member-import'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { rowMeta } from './import-status-meta.ts'

// A list of thousands is read by what is wrong in it; drawing all of it would only make the page
// slow.
const step = 100

/** Rows of an import with the verdict of each; the rejected ones can be looked at alone. */
export function ImportRows({ view }: { view: ImportView }) {
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
            aria-label="Rows to show"
            value={shown}
            onChange={(value) => {
              setChosen(value === 'all' ? 'all' : 'problems')
              setLength(step)
            }}
            data={[
              { value: 'problems', label: `Only problems (${rejected.length})` },
              { value: 'all', label: `All rows (${view.rows.length})` },
            ]}
          />
        </Group>
      )}
      {rows.length > 0 && (
        <ResponsiveTable
          caption="Rows of the list"
          columns={columnsOf(view.dryRun)}
          rows={rows.slice(0, length)}
          rowKey={(row) => String(row.line)}
        />
      )}
      {rows.length > length && (
        <Group>
          <Button variant="default" size="xs" onClick={() => setLength(length + step)}>
            Show {Math.min(step, rows.length - length)} more
          </Button>
          <Text size="sm" c="dimmed">
            {length} of {rows.length} rows
          </Text>
        </Group>
      )}
    </Stack>
  )
}

function isProblem({ state }: ImportRow): boolean {
  return state === 'refused' || state === 'incomplete'
}

function columnsOf(dryRun: boolean): Column<ImportRow>[] {
  return [
    {
      key: 'email',
      header: 'Address',
      primary: true,
      cell: ({ email, name }) => (
        <>
          <Text fw={550} size="sm">
            {email || '(none)'}
          </Text>
          {name && (
            <Text size="sm" c="dimmed">
              {name}
            </Text>
          )}
        </>
      ),
    },
    { key: 'line', header: 'Line', cell: ({ line }) => line },
    {
      key: 'state',
      header: 'Verdict',
      cell: ({ state }) => <StatusBadge {...rowMeta(state, dryRun)} />,
    },
    { key: 'reason', header: 'Reason', cell: Reason },
  ]
}

function Reason({ message, issues }: ImportRow) {
  if (issues.length === 0) return <>{message ?? '–'}</>
  return (
    <div>
      {issues.map((issue) => (
        <div key={issue.path + issue.message}>
          {issue.path && `${issue.path}: `}
          {issue.message}
        </div>
      ))}
    </div>
  )
}
