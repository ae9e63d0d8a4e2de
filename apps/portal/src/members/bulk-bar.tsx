import type { TenantView } from '@atrium/core/tenants/tenants'
import { Button, Menu, Text } from '@mantine/core'
import { IconChevronUp, IconLock, IconLockOpen, IconLogout, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { BulkAction } from './bulk.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import classes from './members.module.css'
import type { Choice } from './use-choice.ts'

const acts = [
  { act: 'suspend', label: 'Suspend', Icon: IconLock },
  { act: 'resume', label: 'Resume', Icon: IconLockOpen },
  { act: 'forceLogout', label: 'Sign out everywhere', Icon: IconLogout },
] as const

/** What can be done to the members that were chosen; stays in sight while the list scrolls. */
export default function BulkBar({ tenant, choice }: { tenant: TenantView; choice: Choice }) {
  const [act, setAction] = useState<BulkAction>()
  const count = choice.members.length
  return (
    <>
      <section className={classes.bar} aria-label="Chosen members">
        <Text size="sm" fw={550} className={classes.barWords} aria-live="polite">
          {count === 1 ? 'One member chosen' : `${count} members chosen`}
        </Text>
        <Button variant="subtle" color="gray" size="xs" onClick={choice.page}>
          Choose this page
        </Button>
        <Button variant="subtle" color="gray" size="xs" onClick={choice.clear}>
          Choose nobody
        </Button>
        <Menu position="top-end">
          <Menu.Target>
            <Button size="xs" rightSection={<IconChevronUp size={16} aria-hidden />}>
              Do with them
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {acts.map(({ act: name, label, Icon }) => (
              <Menu.Item
                key={name}
                leftSection={<Icon size={17} aria-hidden />}
                onClick={() => setAction(name)}
              >
                {label}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={17} aria-hidden />}
              onClick={() => setAction('remove')}
            >
              Remove
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
