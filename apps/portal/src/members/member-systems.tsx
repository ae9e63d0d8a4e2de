import type { CreatedMember, MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { translations } from '@atrium/ui/messages'
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
  systems,
} from './member-status-meta.ts'
import classes from './members.module.css'
import { useMembersCache } from './mutations.ts'

const t = translations('portal.members')

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
      onSuccess: (result) => {
        setMade(result)
        cache.learn(result.member)
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
                {t(`systems.${system}.name`)}
              </Text>
              <Text size="sm" c="dimmed">
                {t(`systems.${system}.text`)}
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
      {retry.error && <ProblemAlert title={t('systemActions.retryFailed')} error={retry.error} />}
      {failed.length > 0 && (
        <div>
          <Text size="sm" c="dimmed" mb="xs">
            {t('systemActions.retried')}
          </Text>
          {changing && (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={retry.isPending}
              onClick={() => retry.mutate({ slug, userId: member.id })}
            >
              {t('systemActions.retry')}
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
            {t('systemActions.setUpFiles')}
          </Button>
        </div>
      )}
      <FirstPassword slug={tenant.slug} member={made} onClose={() => setMade(undefined)} />
    </Stack>
  )
}
