import type {
  InvitationKind,
  InvitationState,
  InvitationView,
} from '@atrium/core/invitations/invitations'
import { invitationStates } from '@atrium/core/platform/choices'
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm.tsx'
import { QueryState } from './data-states.tsx'
import { done } from './done.ts'
import { FilterBar } from './filter-bar.tsx'
import { translations } from './messages.ts'
import { Pager } from './pager.tsx'
import { Panel } from './panel.tsx'
import { accessLabel } from './partner-status-meta.ts'
import { type Column, ResponsiveTable } from './responsive-table.tsx'
import { SearchInput } from './search-input.tsx'
import { oneOf } from './search-params.ts'
import { StatusBadge } from './status-badge.tsx'
import { Time } from './time.tsx'
import type { Tone } from './tones.ts'

const t = translations('ui.invitations')
const labels = translations('ui.labels')

const tones: Readonly<Record<InvitationState, Tone>> = {
  pending: 'waiting',
  opened: 'working',
  accepted: 'good',
  declined: 'bad',
  expired: 'warning',
  revoked: 'neutral',
}

/** What of the list the page asks for. */
export interface InvitationChoice {
  q: string | undefined
  state: InvitationState | undefined
  kind: InvitationKind | undefined
  cursors: string | undefined
}

export const everyInvitation: InvitationChoice = {
  q: undefined,
  state: undefined,
  kind: undefined,
  cursors: undefined,
}

interface Page {
  items: InvitationView[]
  nextCursor: string | null
  reservedSeats?: number
}

interface Props {
  query: UseQueryResult<Page, unknown>
  choice: InvitationChoice
  onChoose: (choice: InvitationChoice) => void
  /** Absent for who may only read. */
  changes?:
    | {
        resend: (invitation: InvitationView) => Promise<unknown>
        revoke: (invitation: InvitationView) => Promise<unknown>
        explain?: (error: unknown) => string | undefined
      }
    | undefined
  /** Names the workplace of each invitation. */
  withPlace?: boolean
  /** Kinds to filter by, where the list has several. */
  kinds?: readonly InvitationKind[]
  /** The button that invites people. */
  actions?: ReactNode
}

/** Invitations with their states, newest first; open ones can be sent again and revoked. */
export function InvitationList(props: Props) {
  const { query, choice, onChoose, changes, withPlace = false, kinds = [], actions } = props
  const [asking, setAsking] = useState<{ act: 'resend' | 'revoke'; invitation: InvitationView }>()
  const page = query.error ? undefined : query.data
  const reserved = page?.reservedSeats ?? 0
  return (
    <Panel
      title={t('title')}
      actions={actions}
      {...(reserved > 0 ? { description: t('reserved', { count: reserved }) } : {})}
    >
      <Stack gap="sm">
        <InvitationFilters choice={choice} onChoose={onChoose} kinds={kinds} />
        <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} rows={2} />
        {page?.items.length === 0 && <Text c="dimmed">{t('none')}</Text>}
        {page && page.items.length > 0 && (
          <>
            <ResponsiveTable
              caption={t('title')}
              columns={columnsFor(
                withPlace,
                changes && ((act, invitation) => setAsking({ act, invitation })),
              )}
              rows={page.items}
              rowKey={({ id }) => id}
              stale={query.isPlaceholderData}
            />
            <Pager
              label={t('pages')}
              cursors={choice.cursors}
              nextCursor={page.nextCursor}
              onChange={(cursors) => onChoose({ ...choice, cursors })}
            />
          </>
        )}
      </Stack>
      {asking && changes && (
        <ConfirmDialog
          opened
          onClose={() => setAsking(undefined)}
          title={t(asking.act === 'revoke' ? 'revoke.question' : 'resend.label', {
            email: asking.invitation.email,
          })}
          confirmLabel={t(`${asking.act}.action`)}
          destructive={asking.act === 'revoke'}
          {...(changes.explain ? { explain: changes.explain } : {})}
          onConfirm={async () => {
            await changes[asking.act](asking.invitation)
            done(t(`${asking.act}.done`, { email: asking.invitation.email }))
          }}
        >
          {t('revoke.effect')}
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function InvitationFilters({
  choice,
  onChoose,
  kinds,
}: Required<Pick<Props, 'choice' | 'onChoose' | 'kinds'>>) {
  const narrow = (change: Partial<InvitationChoice>) =>
    onChoose({ ...choice, ...change, cursors: undefined })
  const any = { value: '', label: t('filters.any') }
  return (
    <FilterBar label={t('filters.label')}>
      <SearchInput
        label={t('filters.search')}
        placeholder={t('filters.searchHint')}
        value={choice.q}
        onChange={(q) => narrow({ q })}
      />
      <NativeSelect
        label={t('filters.state')}
        value={choice.state ?? ''}
        onChange={(event) => narrow({ state: oneOf(invitationStates)(event.currentTarget.value) })}
        data={[
          any,
          ...invitationStates.map((state) => ({ value: state, label: t(`states.${state}`) })),
        ]}
      />
      {kinds.length > 1 && (
        <NativeSelect
          label={t('filters.kind')}
          value={choice.kind ?? ''}
          onChange={(event) => narrow({ kind: oneOf(kinds)(event.currentTarget.value) })}
          data={[any, ...kinds.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }))]}
        />
      )}
    </FilterBar>
  )
}

/** What the person becomes. */
function termsOf({ kind, role, access, tenantSlug }: InvitationView, withPlace: boolean): string {
  if (kind === 'operator') return t('as.operator')
  if (access !== null) return t('as.staff', { access: accessLabel(access).name })
  const name = labels(`roles.${role ?? 'member'}`)
  return withPlace ? t('as.of', { role: name, place: tenantSlug ?? '' }) : name
}

function columnsFor(
  withPlace: boolean,
  ask: ((act: 'resend' | 'revoke', invitation: InvitationView) => void) | undefined,
): Column<InvitationView>[] {
  return [
    {
      key: 'person',
      header: t('columns.person'),
      primary: true,
      cell: ({ name, email }) => (
        <div>
          <Text size="sm" fw={550}>
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    { key: 'what', header: t('columns.what'), cell: (row) => termsOf(row, withPlace) },
    {
      key: 'state',
      header: t('columns.state'),
      cell: ({ state }) => <StatusBadge label={t(`states.${state}`)} tone={tones[state]} />,
    },
    {
      key: 'inviter',
      header: t('columns.inviter'),
      wideOnly: true,
      cell: ({ inviter }) => inviter,
    },
    {
      key: 'sent',
      header: t('columns.sent'),
      cell: ({ sentAt }) => (sentAt === null ? t('notSent') : <Time at={sentAt} />),
    },
    {
      key: 'expires',
      header: t('columns.expires'),
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    ...(ask
      ? [
          {
            key: 'actions',
            header: t('columns.actions'),
            hideHeader: true,
            align: 'end' as const,
            cell: (row: InvitationView) => <RowButtons invitation={row} ask={ask} />,
          },
        ]
      : []),
  ]
}

function RowButtons({
  invitation,
  ask,
}: {
  invitation: InvitationView
  ask: (act: 'resend' | 'revoke', invitation: InvitationView) => void
}) {
  const { state, email } = invitation
  const open = state === 'pending' || state === 'opened'
  if (!open && state !== 'expired') return null
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        aria-label={t('resend.label', { email })}
        onClick={() => ask('resend', invitation)}
      >
        {t('resend.action')}
      </Button>
      <Button
        size="xs"
        variant="light"
        color="red"
        aria-label={t('revoke.label', { email })}
        onClick={() => ask('revoke', invitation)}
      >
        {t('revoke.action')}
      </Button>
    </Group>
  )
}
