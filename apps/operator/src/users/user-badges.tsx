import type { UserView } from '@atrium/core/users/users'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Badge, Group } from '@mantine/core'
import { IconHeartHandshake, IconShieldCheck } from '@tabler/icons-react'

const t = translations('operator.users')

/** Badges of a user: the status of the account, and its rights beyond its tenants. */
export function UserBadges({
  user,
}: {
  user: Pick<UserView, 'status' | 'platformAdmin' | 'partner'>
}) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      <StatusBadge
        tone={user.status === 'active' ? 'good' : 'bad'}
        label={t(`statuses.${user.status}`)}
      />
      {user.platformAdmin && (
        <Badge
          component="span"
          variant="outline"
          leftSection={<IconShieldCheck size={13} aria-hidden />}
        >
          {t('badges.platformAdmin')}
        </Badge>
      )}
      {user.partner && (
        <Badge
          component="span"
          variant="outline"
          color="gray"
          leftSection={<IconHeartHandshake size={13} aria-hidden />}
        >
          {t('badges.partner', { slug: user.partner.slug })}
        </Badge>
      )}
    </Group>
  )
}
