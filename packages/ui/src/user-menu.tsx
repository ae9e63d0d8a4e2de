import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import type { Target } from './links.tsx'
import classes from './shell.module.css'

interface Props {
  user: { name: string; email: string }
  profile: Target | undefined
}

const schemes = [
  { value: 'light', name: 'Light', Icon: IconSun },
  { value: 'dark', name: 'Dark', Icon: IconMoon },
  { value: 'auto', name: 'As the system', Icon: IconDeviceDesktop },
] as const

/** Who is signed in, their profile, the colour scheme and the way out. */
export default function UserMenu({ user, profile }: Props) {
  const router = useRouter()
  return (
    <>
      <form id="sign-out" method="post" action="/auth/logout" hidden />
      <Menu width={264} position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className={classes.user}>
            <Avatar size={32} radius="xl" color="initials" name={user.name || user.email} aria-hidden className={classes.avatar} />
            <VisuallyHidden>Account of {user.name || user.email}</VisuallyHidden>
          </UnstyledButton>
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
            <Menu.Item leftSection={<IconUser size={17} aria-hidden />} onClick={() => void router.navigate(profile)}>
              My profile
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
            Sign out
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
      <Menu.Label>Colours</Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(value) => setColorScheme(schemes.find((scheme) => scheme.value === value)?.value ?? 'auto')}
      >
        {schemes.map(({ value, name, Icon }) => (
          <Menu.RadioItem key={value} value={value} closeMenuOnClick={false} rightSection={<Icon size={16} stroke={1.75} aria-hidden />}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  )
}
