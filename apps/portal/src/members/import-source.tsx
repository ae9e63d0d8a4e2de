import { type ImportView, importColumns, importLimit } from '@atrium/core/members/member-import'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { decodeCsv } from '@atrium/ui/csv-text'
import { ProblemAlert } from '@atrium/ui/data-states'
import { formatCount } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Code, FileInput, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconDownload, IconFileTypeCsv } from '@tabler/icons-react'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { longestCsv, saveText, templateCsv } from './csv-file.ts'
import { ImportRows } from './import-rows.tsx'
import { countsText } from './import-status-meta.ts'

const t = translations('portal.member-import')

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
    if (chosen.size > longestCsv * 4) return setUnreadable(t('source.tooLarge'))
    edit(decodeCsv(new Uint8Array(await chosen.arrayBuffer())))
  }

  return (
    <>
      <Panel
        title={t('source.title')}
        description={t('source.description', { most: formatCount(importLimit) })}
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
            {t('source.template')}
          </Button>
        }
      >
        <Stack>
          <Text size="sm" c="dimmed" component="div">
            {t('source.columns')}{' '}
            {importColumns.map((column) => (
              <span key={column}>
                <Code>{column}</Code>{' '}
              </span>
            ))}
          </Text>
          <FileInput
            label={t('source.file')}
            placeholder={t('source.choose')}
            leftSection={<IconFileTypeCsv size={18} aria-hidden />}
            accept=".csv,.txt,text/csv,text/plain"
            clearable
            clearButtonProps={{ 'aria-label': t('source.clear') }}
            value={file}
            onChange={(chosen) => void read(chosen)}
            maw={420}
          />
          <Textarea
            label={t('source.paste')}
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
              title={t('source.checkFailed')}
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
              {t('source.check')}
            </Button>
            <Text size="sm" c="dimmed">
              {t('source.checkHint')}
            </Text>
          </Group>
        </Stack>
      </Panel>
      {checked && (
        <Verdicts
          tenant={tenant}
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
  tenant: TenantView
  view: ImportView
  running: boolean
  error: unknown
  onRun: () => void
}

function Verdicts({ tenant, view, running, error, onRun }: VerdictsProps) {
  const { ready, refused: rejected } = view.counts
  return (
    <Panel
      title={t('verdicts.title')}
      description={<span role="status">{countsText(view.counts, true)}</span>}
    >
      <Stack>
        {rejected > 0 && (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
            {t('verdicts.leftOut', { count: rejected })}
          </Alert>
        )}
        <ImportRows tenant={tenant} view={view} />
        {error ? (
          <ProblemAlert title={t('verdicts.failed')} error={error} message={explain(error)} />
        ) : null}
        <Group>
          <Button onClick={onRun} loading={running} disabled={ready === 0}>
            {t('verdicts.submit', { count: ready })}
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
