import type { PersonElsewhere } from '@atrium/core/address-claims/address-claims'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '../trpc.ts'
import classes from './people-panel.module.css'

const t = translations('portal.address-claims')

/** People with addresses on a proved domain whom nobody here manages, and the claims to them. */
export function PeoplePanel({ path }: { path: { slug: string; domain: string } }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState<string>()
  const query = useInfiniteQuery({
    queryKey: [...trpc.addressClaims.list.queryKey(path), 'pages'],
    // The adapter's own pages send a direction along, which the API's strict input does not know.
    queryFn: ({ pageParam, signal }) =>
      client.addressClaims.list.query(
        { ...path, limit: 20, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const refresh = () => queryClient.invalidateQueries(trpc.addressClaims.list.pathFilter())
  const start = useMutation(trpc.addressClaims.start.mutationOptions({ onSuccess: refresh }))
  const withdraw = useMutation(trpc.addressClaims.withdraw.mutationOptions({ onSettled: refresh }))
  const people = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel title={t('people.title')} description={t('people.hint')}>
      {query.isPending && <LoadingRows label={t('people.loading')} rows={2} />}
      {query.error && (
        <ErrorState
          title={t('people.loadFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {withdraw.error && <ProblemAlert title={t('withdraw.failed')} error={withdraw.error} />}
      {query.data && people.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('people.none')}
        </Text>
      )}
      {people.length > 0 && (
        <Stack>
          <ul className={classes.list} aria-label={t('people.title')}>
            {people.map((person) => (
              <li key={person.email} className={classes.person}>
                <PersonText person={person} />
                {person.claim ? (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={t('withdraw.actionFor', { email: person.email })}
                    loading={withdraw.isPending && withdraw.variables.email === person.email}
                    onClick={() =>
                      withdraw.mutate(
                        { ...path, email: person.email },
                        { onSuccess: () => done(t('withdraw.done', { email: person.email })) },
                      )
                    }
                  >
                    {t('withdraw.action')}
                  </Button>
                ) : (
                  <Button
                    size="xs"
                    variant="light"
                    aria-label={t('start.actionFor', { email: person.email })}
                    onClick={() => setChosen(person.email)}
                  >
                    {t('start.action')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {query.hasNextPage && (
            <Group>
              <Button
                variant="default"
                size="xs"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('people.more')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
      <ConfirmDialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={t('start.question', { email: chosen ?? '' })}
        confirmLabel={t('start.action')}
        onConfirm={async () => {
          if (chosen === undefined) return
          await start.mutateAsync({ ...path, email: chosen })
          done(t('start.done', { email: chosen }))
        }}
      >
        <Text size="sm">{t('start.explanation')}</Text>
      </ConfirmDialog>
    </Panel>
  )
}

function PersonText({ person: { email, claim } }: { person: PersonElsewhere }) {
  return (
    <div>
      <Text size="sm" fw={550} className={classes.address}>
        {email}
      </Text>
      <Text size="sm" c="dimmed">
        {claim === null && t('people.elsewhere')}
        {claim?.state === 'running' &&
          t.rich('people.endsAt', { at: () => <Time at={claim.endsAt} show="absolute" /> })}
        {claim?.state === 'held' && t('people.held')}
      </Text>
    </div>
  )
}
