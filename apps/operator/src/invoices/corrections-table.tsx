import type { CorrectionView } from '@atrium/core/billing/invoice-corrections'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { When } from '../parts/when.tsx'
import { correctionMeta, correctionName } from './labels.ts'
import { useDecideCorrection } from './mutations.ts'

const t = translations('operator.invoices')

interface Props {
  corrections: readonly CorrectionView[]
  /** Names the invoice of each; left out on its own page. */
  withInvoice?: boolean
  stale?: boolean
}

/** Corrections, with the decision on those that wait for a second operator. */
export function CorrectionsTable({ corrections, withInvoice = false, stale = false }: Props) {
  const [chosen, setChosen] = useState<Chosen>()
  return (
    <>
      <ResponsiveTable
        caption={t('corrections.caption')}
        columns={columns(withInvoice, setChosen)}
        rows={corrections}
        rowKey={({ id }) => id}
        stale={stale}
      />
      {chosen && <DecideDialog {...chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

interface Chosen {
  correction: CorrectionView
  act: 'approve' | 'reject'
}

const columns = (
  withInvoice: boolean,
  choose: (chosen: Chosen) => void,
): readonly Column<CorrectionView>[] => [
  {
    key: 'what',
    header: t('corrections.columns.what'),
    primary: true,
    cell: (correction) => (
      <>
        <Text span inherit fw={550}>
          {correctionName(correction)}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {correction.reason}
        </Text>
        {correction.reference && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {t('corrections.reference', { reference: correction.reference })}
          </Text>
        )}
      </>
    ),
  },
  ...(withInvoice
    ? [
        {
          key: 'invoice',
          header: t('columns.invoice'),
          breaks: true,
          cell: ({ invoiceId, invoiceNumber, tenantName }: CorrectionView) => (
            <>
              <LinkAnchor to="/invoices/$id" params={{ id: invoiceId }} fz="inherit">
                {invoiceNumber ?? t('noNumber')}
              </LinkAnchor>
              <Text size="xs" c="dimmed">
                {tenantName}
              </Text>
            </>
          ),
        },
      ]
    : []),
  {
    key: 'state',
    header: t('columns.status'),
    cell: ({ state, error, creditNoteNumber }) => (
      <>
        <StatusBadge {...correctionMeta(state)} />
        {(error ?? creditNoteNumber) && (
          <Text component="div" size="xs" c="dimmed" maw={280}>
            {error ? (
              <FailureText text={error} />
            ) : (
              t('corrections.creditNote', { number: creditNoteNumber ?? '' })
            )}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'by',
    header: t('corrections.columns.by'),
    breaks: true,
    cell: ({ requestedBy, decidedBy }) => (
      <>
        {requestedBy ?? '–'}
        {decidedBy && (
          <Text size="xs" c="dimmed">
            {t('corrections.decidedBy', { person: decidedBy })}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'at',
    header: t('corrections.columns.at'),
    cell: ({ createdAt }) => <When at={createdAt} />,
  },
  {
    key: 'actions',
    header: t('corrections.columns.decide'),
    hideHeader: true,
    align: 'end',
    cell: (correction) =>
      correction.state === 'pending' && (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="xs"
            variant="default"
            onClick={() => choose({ correction, act: 'approve' })}
          >
            {t('corrections.approve.action')}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => choose({ correction, act: 'reject' })}
          >
            {t('corrections.reject.action')}
          </Button>
        </Group>
      ),
  },
]

function DecideDialog({ correction, act, onClose }: Chosen & { onClose: () => void }) {
  const decide = useDecideCorrection()
  const what = correctionName(correction)
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(`corrections.${act}.title`, { what })}
      confirmLabel={t(`corrections.${act}.action`)}
      destructive={act === 'reject'}
      onConfirm={async () => {
        const { state, error } = await decide[act].mutateAsync({ id: correction.id })
        if (state === 'failed') throw new Error(error ?? '')
        done(t(`corrections.outcomes.${state}`, { what }))
      }}
    >
      <Text inherit mb={6} style={{ overflowWrap: 'anywhere' }}>
        {t('corrections.reasonGiven', { reason: correction.reason })}
      </Text>
      {t(`corrections.${act}.hint`)}
    </ConfirmDialog>
  )
}
