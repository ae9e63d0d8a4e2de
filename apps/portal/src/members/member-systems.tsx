import type { CreatedMember, MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { StatusBadge } from '@atrium/ui/status-badge'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Stack, Text } from '@mantine/core'
import { IconFolderPlus, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import FirstPassword from './first-password.tsx'
import {
  failedSystems,
  isUnderWay,
  lacksFiles,
  stepOutcomeMeta,
  systemNames,
  systems,
} from './member-status-meta.ts'
import classes from './members.module.css'
import { useMembersCache } from './mutations.ts'

interface Props {
  tenant: TenantView
  member: MemberView
  changing: boolean
}

/**
 * What a member has in each upstream system, with the reason where something failed and a way to
 * try again at once.
 */
export function MemberSystems({ tenant, member, changing }: Props) {
  const { slug } = tenant
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  const [made, setMade] = useState<CreatedMember>()
  const retry = useMutation(
    trpc.members.retry.mutationOptions({
      gcTime: 0,
      onSuccess: (answer) => {
        setMade(answer)
        cache.learn(answer.member)
      },
      // Part of the work may have been done before it was rejected or lost.
      onError: () => cache.forget(member.id),
    }),
  )
  const failed = failedSystems(member)
  const underWay = isUnderWay(member) || retry.isPending
  return (
    <Stack gap="sm">
      <ul className={classes.systems}>
        {systems.map((system) => (
          <li key={system} className={classes.system}>
            <div>
              <Text size="sm" fw={550}>
                {systemNames[system].name}
              </Text>
              <Text size="sm" c="dimmed">
                {systemNames[system].text}
              </Text>
            </div>
            <StatusBadge {...stepOutcomeMeta(member.outcomes[system], underWay)} />
            {member.outcomes[system] === 'error' && member.errors[system] && (
              <Text size="sm" className={classes.fault} component="div">
                <FailureText text={member.errors[system]} />
              </Text>
            )}
          </li>
        ))}
      </ul>
      {retry.error && <ProblemAlert title="The retry did not work." error={retry.error} />}
      {failed.length > 0 && (
        <div>
          <Text size="sm" c="dimmed" mb="xs">
            Nothing is lost: what failed is tried again by itself after a while.
          </Text>
          {changing && (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={retry.isPending}
              onClick={() => retry.mutate({ slug, userId: member.id })}
            >
              Retry now
            </Button>
          )}
        </div>
      )}
      {failed.length === 0 && changing && lacksFiles(member, tenant) && (
        <div>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconFolderPlus size={16} aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate({ slug, userId: member.id })}
          >
            Set up files
          </Button>
        </div>
      )}
      <FirstPassword answer={made} onClose={() => setMade(undefined)} />
    </Stack>
  )
}
