import type { SavedReportView } from '@atrium/core/reports/saved-reports'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import type { ReportsSearch } from '@atrium/ui/reports/search'
import { useMutation } from '@atrium/ui/use-mutation'
import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconBookmark, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { savedOf, searchOf } from './saved-report-search.ts'
import { mayDo, usePartner } from './use-partner.ts'

const t = translations('portal.partner-reports')
const frame = translations('ui.frame')

/** Saves the current view under a name, for the whole staff. */
export function SaveReportButton({ search }: { search: ReportsSearch }) {
  const [opened, setOpened] = useState(false)
  const partner = usePartner()
  if (!savedOf(search) || !mayDo(partner, 'manageCustomers')) return null
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconBookmark size={17} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        {t('save.open')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('save.open')}>
        {opened && <SaveForm search={search} onClose={() => setOpened(false)} />}
      </Modal>
    </>
  )
}

function SaveForm({ search, onClose }: { search: ReportsSearch; onClose: () => void }) {
  const [name, setName] = useState('')
  const partner = usePartner()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const save = useMutation(
    trpc.partners.saveReport.mutationOptions({
      onSuccess: (saved) => {
        void queryClient.invalidateQueries(trpc.partners.savedReports.pathFilter())
        done(t('save.done', { view: saved.name }))
        onClose()
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const view = savedOf(search)
    if (view && name.trim()) save.mutate({ slug: partner.slug, name, ...view })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('save.name')}
          description={t('save.nameHint')}
          required
          data-autofocus
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {save.error && <ProblemAlert error={save.error} title={t('save.failed')} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            {t('save.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The views that the staff keep, each a link. Nothing while there is none. */
export function SavedReports() {
  const partner = usePartner()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const saved = useQuery(trpc.partners.savedReports.queryOptions({ slug: partner.slug }))
  const [leaving, setLeaving] = useState<SavedReportView>()
  const remove = useMutation(
    trpc.partners.deleteSavedReport.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.partners.savedReports.pathFilter()),
    }),
  )
  const views = (saved.data?.items ?? []).flatMap((report) => {
    const search = searchOf(report)
    return search ? [{ report, search }] : []
  })
  if (saved.isError) return <ProblemAlert error={saved.error} title={t('saved.loadFailed')} />
  if (views.length === 0) return null
  return (
    <Panel title={t('saved.title')}>
      <Stack gap={4} component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {views.map(({ report, search }) => (
          <Group key={report.id} component="li" justify="space-between" wrap="nowrap">
            <LinkAnchor {...links.partnerReports(search)} size="sm">
              {report.name}
            </LinkAnchor>
            {mayDo(partner, 'manageCustomers') && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('saved.delete', { view: report.name })}
                onClick={() => setLeaving(report)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t('saved.deleteTitle')}
        confirmLabel={t('saved.deleteSubmit')}
        onConfirm={async () =>
          leaving && remove.mutateAsync({ slug: partner.slug, id: leaving.id })
        }
      >
        <Text size="sm">{t('saved.deleteEffects', { view: leaving?.name ?? '' })}</Text>
      </ConfirmDialog>
    </Panel>
  )
}
