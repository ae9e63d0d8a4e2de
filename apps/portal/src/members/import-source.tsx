import { type ImportView, importColumns, importLimit } from '@atrium/core/members/member-import'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { formatCount } from '@atrium/ui/format'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Code, FileInput, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconDownload, IconFileTypeCsv } from '@tabler/icons-react'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { decodeCsv, longestCsv, saveText, templateCsv } from './csv-file.ts'
import { ImportRows } from './import-rows.tsx'
import { countsText } from './import-status-meta.ts'

interface Props {
  tenant: TenantView
  /** Called with the id of the run. */
  onStarted: (importId: string) => void
}

/** The list to import, from a file or pasted, and what would become of each row. */
export function ImportSource({ tenant, onStarted }: Props) {
  const [csv, setCsv] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [unreadable, setUnreadable] = useState<string>()
  const { check, run } = useImport(onStarted)
  const fault = unreadable ?? (check.error ? fieldErrors(problemOf(check.error)).csv : undefined)
  // What was checked is what is run: another list has to be checked again.
  const checked = check.data && check.variables?.csv === csv ? check.data : undefined

  function edit(text: string) {
    setUnreadable(undefined)
    check.reset()
    setCsv(text)
  }

  async function read(chosen: File | null) {
    setFile(chosen)
    if (!chosen) return
    // Four bytes are the most that a character takes in any of the encodings.
    if (chosen.size > longestCsv * 4)
      return setUnreadable('This file is larger than an import may be.')
    edit(decodeCsv(new Uint8Array(await chosen.arrayBuffer())))
  }

  return (
    <>
      <Panel
        title="The list"
        description={`One person per line, at most ${formatCount(importLimit)}. The first line names the columns; only email must be there.`}
        actions={
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() =>
              saveText(
                `${tenant.slug}-members.csv`,
                'text/csv',
                templateCsv(tenant.primaryDomain ?? 'example.com'),
              )
            }
          >
            Download a template
          </Button>
        }
      >
        <Stack>
          <Text size="sm" c="dimmed" component="div">
            Columns:{' '}
            {importColumns.map((column) => (
              <span key={column}>
                <Code>{column}</Code>{' '}
              </span>
            ))}
          </Text>
          <FileInput
            label="CSV file"
            placeholder="Choose a file"
            leftSection={<IconFileTypeCsv size={18} aria-hidden />}
            accept=".csv,.txt,text/csv,text/plain"
            clearable
            clearButtonProps={{ 'aria-label': 'Take the file away' }}
            value={file}
            onChange={(chosen) => void read(chosen)}
            maw={420}
          />
          <Textarea
            label="Or paste it here"
            placeholder={`email,name,role\nmira,Mira Miller,member`}
            autosize
            minRows={6}
            maxRows={16}
            spellCheck={false}
            styles={{
              input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' },
            }}
            value={csv}
            error={fault}
            onChange={(event) => {
              setFile(null)
              edit(event.currentTarget.value)
            }}
          />
          {check.error && fault === undefined && (
            <ProblemAlert
              title="The list was not checked."
              error={check.error}
              message={explain(check.error)}
            />
          )}
          <Group>
            <Button
              loading={check.isPending}
              disabled={csv.trim() === '' || unreadable !== undefined}
              variant={checked ? 'default' : 'filled'}
              onClick={() => check.mutate({ slug: tenant.slug, csv, dryRun: true })}
            >
              Check the list
            </Button>
            <Text size="sm" c="dimmed">
              Nothing is made by checking.
            </Text>
          </Group>
        </Stack>
      </Panel>
      {checked && (
        <Verdicts
          view={checked}
          running={run.isPending}
          error={run.error}
          onRun={() => run.mutate({ slug: tenant.slug, csv, dryRun: false })}
        />
      )}
    </>
  )
}

interface VerdictsProps {
  view: ImportView
  running: boolean
  error: unknown
  onRun: () => void
}

function Verdicts({ view, running, error, onRun }: VerdictsProps) {
  const { ready, refused } = view.counts
  return (
    <Panel
      title="What would happen"
      description={<span role="status">{countsText(view.counts, true)}</span>}
    >
      <Stack>
        {refused > 0 && (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
            {refused === 1 ? 'One row is' : `${formatCount(refused)} rows are`} left out. Mend the
            list and check it again, or import the others now: a list can be imported again, and
            people who are there already are left as they are.
          </Alert>
        )}
        <ImportRows view={view} />
        {error ? (
          <ProblemAlert title="The import did not start." error={error} message={explain(error)} />
        ) : null}
        <Group>
          <Button onClick={onRun} loading={running} disabled={ready === 0}>
            {ready === 1 ? 'Add one member' : `Add ${formatCount(ready)} members`}
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}

function useImport(onStarted: (importId: string) => void) {
  const trpc = useTRPC()
  return {
    check: useMutation(trpc.members.startImport.mutationOptions()),
    run: useMutation(
      trpc.members.startImport.mutationOptions({
        onSuccess: ({ id }) => {
          if (id !== null) onStarted(id)
        },
      }),
    ),
  }
}
