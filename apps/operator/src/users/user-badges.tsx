import type { UserView } from '@atrium/core/users/users'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Badge, Group } from '@mantine/core'
import { IconHeartHandshake, IconShieldCheck } from '@tabler/icons-react'

/** Whether the account works, and what rights it has beyond its tenants. */
export function UserBadges({
  user,
}: {
  user: Pick<UserView, 'status' | 'platformAdmin' | 'partner'>
}) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      {user.status === 'active' ? (
        <StatusBadge tone="good" label="Active" />
      ) : (
        <StatusBadge tone="bad" label="Deactivated" />
      )}
      {user.platformAdmin && (
        <Badge
          component="span"
          variant="outline"
          leftSection={<IconShieldCheck size={13} aria-hidden />}
        >
          Platform admin
        </Badge>
      )}
      {user.partner && (
        <Badge
          component="span"
          variant="outline"
          color="gray"
          leftSection={<IconHeartHandshake size={13} aria-hidden />}
        >
          Partner {user.partner.slug}
        </Badge>
      )}
    </Group>
  )
}
