import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import type { SlotExplanation } from '@atrium/core/scheduling/slot-availability'
import { ProblemAlert } from '@atrium/ui/data-states'
import { formatTime, fromLocalInput } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { StatusBadge, ToneIcon } from '@atrium/ui/status-badge'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import classes from './slot-explanation.module.css'
import { ownZone } from './zone-select.tsx'

const t = translations('portal.scheduling-event-types')

/**
 * Says of one moment, rule by rule, why visitors are offered it or are not. Of what is saved, not
 * of what is typed.
 */
export function SlotExplanationPanel({ eventType }: { eventType: EventTypeView }) {
  const { slug } = useTenant()
  const trpc = useTRPC()
  const [typed, setTyped] = useState('')
  const [start, setStart] = useState<string>()
  const [fault, setFault] = useState<string>()
  const query = useQuery({
    ...trpc.scheduling.slots.explain.queryOptions({
      slug,
      eventTypeId: eventType.id,
      start: start ?? '',
    }),
    enabled: start !== undefined,
    retry: false,
    staleTime: 0,
  })

  function ask() {
    const at = fromLocalInput(typed)
    setFault(at ? undefined : t('explain.startMissing'))
    if (at === undefined) return
    if (at === start) void query.refetch()
    else setStart(at)
  }

  return (
    <Stack gap="md">
      <Group gap="xs" align="flex-end">
        <TextInput
          type="datetime-local"
          label={t('explain.start', { zone: ownZone().replaceAll('_', ' ') })}
          step={300}
          value={typed}
          error={fault}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button variant="default" loading={query.isFetching} onClick={ask}>
          {t('explain.button')}
        </Button>
      </Group>
      {query.isError && <ProblemAlert title={t('explain.failed')} error={query.error} />}
      {query.data && !query.isError && <Outcome explanation={query.data} />}
    </Stack>
  )
}

function Outcome({ explanation }: { explanation: SlotExplanation }) {
  const { offered, hosts, start } = explanation
  return (
    <Stack gap="sm" role="status">
      <Group gap="xs">
        <StatusBadge
          label={t(offered ? 'explain.offered' : 'explain.notOffered')}
          tone={offered ? 'good' : 'bad'}
        />
        <Text size="sm">{formatTime(start)}</Text>
      </Group>
      {hosts.map(({ id, name, rules }) => (
        <section key={id} aria-label={name}>
          {hosts.length > 1 && (
            <Text size="sm" fw={600} mb={4}>
              {name}
            </Text>
          )}
          <ul className={classes.rules}>
            {rules.map(({ rule, passed, detail }) => (
              <li key={rule} className={classes.rule}>
                <ToneIcon tone={passed ? 'good' : 'bad'} size={18} />
                <div>
                  <Text size="sm" fw={550}>
                    {t(`explain.rules.${rule}`)}
                    <span className={classes.hidden}>
                      {t(passed ? 'explain.passed' : 'explain.notPassed')}
                    </span>
                  </Text>
                  <Text size="sm" c="dimmed">
                    {detail}
                  </Text>
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Stack>
  )
}
