import { Menu, Text, useMantineColorScheme } from '@mantine/core'
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSun,
  IconUser,
} from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { AccountButton } from './account-button.tsx'
import type { LinkTarget } from './links.tsx'
import { translations } from './messages.ts'
import classes from './shell.module.css'

const t = translations('ui.frame')

interface Props {
  user: { name: string; email: string }
  profile: LinkTarget | undefined
  security: LinkTarget | undefined
}

const schemes = [
  { value: 'light', Icon: IconSun },
  { value: 'dark', Icon: IconMoon },
  { value: 'auto', Icon: IconDeviceDesktop },
] as const

/**
 * Who is signed in, their profile, the colour scheme and the way out. Opens when it appears: it is
 * loaded when it is asked for.
 */
export default function UserMenu({ user, profile, security }: Props) {
  const router = useRouter()
  const [opened, setOpened] = useState(false)
  const target = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The button that was pressed is gone; without focus here the menu could not give it back when
    // it closes.
    target.current?.focus()
    setOpened(true)
  }, [])
  return (
    <>
      <form id="sign-out" method="post" action="/auth/logout" hidden />
      <Menu
        opened={opened}
        onChange={setOpened}
        width={264}
        position="bottom-end"
        withinPortal={false}
      >
        <Menu.Target>
          <AccountButton ref={target} user={user} />
        </Menu.Target>
        <Menu.Dropdown>
          <div className={classes.person}>
            <Text fw={550} truncate>
              {user.name}
            </Text>
            <Text size="sm" c="dimmed" truncate>
              {user.email}
            </Text>
          </div>
          <Menu.Divider />
          {profile && (
            <Menu.Item
              leftSection={<IconUser size={17} aria-hidden />}
              onClick={() => void router.navigate(profile)}
            >
              {t('myProfile')}
            </Menu.Item>
          )}
          {security && (
            <Menu.Item
              leftSection={<IconShieldLock size={17} aria-hidden />}
              onClick={() => void router.navigate(security)}
            >
              {t('mySecurity')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <ColorScheme />
          <Menu.Divider />
          {/* The menu stays open: without motion it would take the button off the page before the form is sent. */}
          <Menu.Item
            component="button"
            type="submit"
            form="sign-out"
            closeMenuOnClick={false}
            leftSection={<IconLogout size={17} aria-hidden />}
          >
            {t('signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>{t('colours')}</Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(value) =>
          setColorScheme(schemes.find((scheme) => scheme.value === value)?.value ?? 'auto')
        }
      >
        {schemes.map(({ value, Icon }) => (
          <Menu.RadioItem
            key={value}
            value={value}
            closeMenuOnClick={false}
            rightSection={<Icon size={16} stroke={1.75} aria-hidden />}
          >
            {t(`schemes.${value}`)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  )
}
