import type { SavedReportView } from '@atrium/core/reports/saved-reports'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
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

/** Keeps the view that is shown under a name, for everybody on the staff. */
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
        Save this view
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Save this view">
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
        done(`${saved.name} is saved.`)
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
          label="Name"
          description="Everybody on the staff who sees reports can open it."
          required
          data-autofocus
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {save.error && <ProblemAlert error={save.error} title="The view was not saved." />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            Save
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
  if (saved.isError)
    return <ProblemAlert error={saved.error} title="The saved views could not be loaded." />
  if (views.length === 0) return null
  return (
    <Panel title="Saved views">
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
                aria-label={`Delete ${report.name}`}
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
        title="Delete the saved view"
        confirmLabel="Delete"
        onConfirm={async () =>
          leaving && remove.mutateAsync({ slug: partner.slug, id: leaving.id })
        }
      >
        <Text size="sm">
          {leaving?.name} goes for everybody on the staff. The figures themselves stay.
        </Text>
      </ConfirmDialog>
    </Panel>
  )
}
