import type { GrantView } from '@atrium/core/access-grants/access-grants'
import { AccessGrantCard } from '@atrium/ui/access-grant-card'
import { QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { Panel } from '@atrium/ui/panel'
import { Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'

const t = translations('portal.access-grants')

interface Props {
  query: UseQueryResult<{ items: GrantView[]; nextCursor: string | null }, unknown>
  cursors: string | undefined
  onCursors: (cursors: string | undefined) => void
  none: { title: string; hint: string }
  /** Without a title the grants stand on the page itself. */
  parts: readonly { title?: string; description?: string | undefined; items: GrantView[] }[]
  card?: Omit<ComponentProps<typeof AccessGrantCard>, 'grant' | 'actions'>
  actions: (grant: GrantView) => ReactNode
}

/** A page of grants, with what may be done about each. */
export function GrantList({ query, cursors, onCursors, none, parts, card, actions }: Props) {
  const cards = (items: readonly GrantView[]) =>
    items.map((grant) => (
      <AccessGrantCard key={grant.id} grant={grant} actions={actions(grant)} {...card} />
    ))
  return (
    <Stack gap="lg" maw={760}>
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data?.items.length === 0 && (
        <Panel title={none.title}>
          <Text>{none.hint}</Text>
        </Panel>
      )}
      {parts
        .filter(({ items }) => items.length > 0)
        .map(({ title, description, items }) =>
          title === undefined ? (
            <Stack key="all">{cards(items)}</Stack>
          ) : (
            <Panel key={title} title={title} description={description}>
              <Stack>{cards(items)}</Stack>
            </Panel>
          ),
        )}
      {query.data && (
        <Pager
          label={t('pages')}
          cursors={cursors}
          nextCursor={query.data.nextCursor}
          onChange={onCursors}
        />
      )}
    </Stack>
  )
}
