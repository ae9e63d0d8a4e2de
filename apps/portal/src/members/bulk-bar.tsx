import type { TenantView } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { Button, Menu, Text } from '@mantine/core'
import { IconChevronUp, IconLock, IconLockOpen, IconLogout, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { BulkAction } from './bulk.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import classes from './members.module.css'
import type { Choice } from './use-choice.ts'

const t = translations('portal.members')

const actions = [
  { act: 'suspend', Icon: IconLock },
  { act: 'resume', Icon: IconLockOpen },
  { act: 'forceLogout', Icon: IconLogout },
] as const

/** What can be done to the members that were chosen; stays in sight while the list scrolls. */
export default function BulkBar({ tenant, choice }: { tenant: TenantView; choice: Choice }) {
  const [act, setAction] = useState<BulkAction>()
  const count = choice.members.length
  return (
    <>
      <section className={classes.bar} aria-label={t('bulk.label')}>
        <Text size="sm" fw={550} className={classes.barWords} aria-live="polite">
          {t('bulk.count', { count })}
        </Text>
        <Button variant="subtle" color="gray" size="xs" onClick={choice.page}>
          {t('bulk.page')}
        </Button>
        <Button variant="subtle" color="gray" size="xs" onClick={choice.clear}>
          {t('bulk.none')}
        </Button>
        <Menu position="top-end">
          <Menu.Target>
            <Button size="xs" rightSection={<IconChevronUp size={16} aria-hidden />}>
              {t('bulk.menu')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {actions.map(({ act: name, Icon }) => (
              <Menu.Item
                key={name}
                leftSection={<Icon size={17} aria-hidden />}
                onClick={() => setAction(name)}
              >
                {t(`actions.${name}.verb`)}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={17} aria-hidden />}
              onClick={() => setAction('remove')}
            >
              {t('actions.remove.verb')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </section>
      {act && (
        <BulkDialog
          tenant={tenant}
          act={act}
          members={choice.members}
          onClose={() => setAction(undefined)}
          onDone={choice.drop}
        />
      )}
    </>
  )
}
