import { AppShell, Burger, Group, Kbd, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch, type TablerIcon } from '@tabler/icons-react'
import { Outlet, useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { AccountButton } from './account-button.tsx'
import { BrandMark } from './brand.tsx'
import { LinkNav, type LinkTarget } from './links.tsx'
import { translations } from './messages.ts'
import classes from './shell.module.css'

const t = translations('ui.frame')

// Menus bring the library that places floating parts: it is loaded when the menu is about to be
// opened.
const loadMenu = () => import('./user-menu.tsx')
const UserMenu = lazy(loadMenu)

export interface NavItem {
  label: string
  icon: TablerIcon
  target: LinkTarget
  /** Current only on exactly this path, not below it. */
  exact?: boolean
}

export interface NavSection {
  /** Names the group; left out when there is only one. */
  label?: string
  items: readonly NavItem[]
}

interface Props {
  /** Where the brand leads. */
  home: LinkTarget
  /** A word beside the brand that says which app this is: "Operator". */
  mark?: string
  nav: readonly NavSection[]
  user: { name: string; email: string }
  profile?: LinkTarget
  /** The page with the person's sessions and credentials. */
  security?: LinkTarget
  /** After the brand: the switcher of workplaces. */
  switcher?: ReactNode
  /** Opens the search over pages (also mod+K). */
  onSearch?: () => void
  /** Between header and page: a banner that concerns every page. */
  banner?: ReactNode
  /** The page; the router's outlet when left out. */
  children?: ReactNode
}

/**
 * The frame of an app: skip link, header, navigation that folds away on a phone, and the page.
 * Moves the focus after navigation.
 */
export function Shell({
  home,
  mark,
  nav,
  user,
  profile,
  security,
  switcher,
  onSearch,
  banner,
  children,
}: Props) {
  const [opened, { toggle, close }] = useDisclosure(false)
  useFocusAfterNavigation(close)
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={0}
    >
      <a className={classes.skip} href="#content">
        {t('skipToContent')}
      </a>
      <AppShell.Header className={classes.header} data-operator={mark ? true : undefined}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t(opened ? 'closeNavigation' : 'openNavigation')}
              aria-expanded={opened}
              aria-controls="navigation"
            />
            <HomeLink home={home} mark={mark} compact={Boolean(switcher)} />
            {switcher}
          </Group>
          <Group gap="xs" wrap="nowrap">
            {onSearch && <SearchButton onSearch={onSearch} />}
            <Account user={user} profile={profile} security={security} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        id="navigation"
        aria-label={t('mainNavigation')}
        className={classes.navbar}
        p="sm"
      >
        {nav.map((section, index) => (
          <div key={section.label ?? index} className={classes.section}>
            {section.label && (
              <Text size="xs" fw={550} c="dimmed" px="sm" className={classes.sectionLabel}>
                {section.label}
              </Text>
            )}
            {section.items.map(({ label, icon: Icon, target, exact = false }) => (
              <LinkNav
                key={label}
                {...target}
                label={label}
                leftSection={<Icon size={19} stroke={1.75} aria-hidden />}
                activeOptions={{ exact, includeSearch: false }}
                activeProps={{ active: true, fw: 550 }}
                className={classes.navLink}
                onClick={close}
              />
            ))}
          </div>
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        {banner}
        <div id="content" tabIndex={-1} className={classes.content}>
          {children ?? <Outlet />}
        </div>
      </AppShell.Main>
    </AppShell>
  )
}

function Account({
  user,
  profile,
  security,
}: {
  user: Props['user']
  profile: LinkTarget | undefined
  security: LinkTarget | undefined
}) {
  const [requested, setRequested] = useState(false)
  const preload = () => void loadMenu()
  const button = (
    <AccountButton
      user={user}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setRequested(true)}
      onPointerEnter={preload}
      onFocus={preload}
    />
  )
  return (
    <Suspense fallback={button}>
      {requested ? <UserMenu user={user} profile={profile} security={security} /> : button}
    </Suspense>
  )
}

function HomeLink({
  home,
  mark,
  compact,
}: {
  home: LinkTarget
  mark: string | undefined
  compact: boolean
}) {
  const router = useRouter()
  return (
    <a
      href={router.buildLocation(home).href}
      className={classes.brand}
      aria-label={t('home', { app: mark ? `Atrium ${mark}` : 'Atrium' })}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        void router.navigate(home)
      }}
    >
      <BrandMark />
      <Text
        span
        fw={650}
        size="lg"
        className={classes.wordmark}
        visibleFrom={compact ? 'sm' : 'base'}
      >
        Atrium
      </Text>
      {mark && (
        <>
          {' '}
          <span className={classes.mark}>{mark}</span>
        </>
      )}
    </a>
  )
}

function SearchButton({ onSearch }: { onSearch: () => void }) {
  return (
    <UnstyledButton
      className={classes.search}
      onClick={onSearch}
      aria-keyshortcuts="Control+K Meta+K"
    >
      <IconSearch size={18} stroke={1.75} aria-hidden />
      <Text span size="sm" className={classes.searchLabel}>
        {t('search')}
      </Text>
      <Kbd size="xs" visibleFrom="md" aria-hidden>
        {/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : t('searchShortcut')}
      </Kbd>
    </UnstyledButton>
  )
}

/**
 * After a change of page the focus goes to its heading, so that keyboard and screen reader start
 * where the eye does.
 */
function useFocusAfterNavigation(onNavigate: () => void) {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        onNavigate()
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
      }),
    [router, onNavigate],
  )
}
