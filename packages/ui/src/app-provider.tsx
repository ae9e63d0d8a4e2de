import { MantineProvider } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useMemo, useSyncExternalStore } from 'react'
import { notices } from './notices.ts'
import { recentSignIn } from './recent-sign-in.ts'
import { styleNonce } from './style-nonce.ts'
import { type Accent, contrastVariables, createAtriumTheme } from './theme.ts'

// No message before the user acts.
const NotificationStack = lazy(() => import('./notification-stack.tsx'))

// Most sessions never meet it.
const RecentSignInDialog = lazy(() => import('./recent-sign-in-dialog.tsx'))

interface Props {
  accent: Accent
  children: ReactNode
}

/**
 * Theme, colour scheme (the system's until the person chooses), notifications, and the question for
 * a recent sign-in of an app.
 */
export function AppProvider({ accent, children }: Props) {
  const theme = useMemo(() => createAtriumTheme(accent), [accent])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrastVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      {children}
      <Notices />
      <SecondSignIn />
    </MantineProvider>
  )
}

function Notices() {
  const requested = useSyncExternalStore(notices.subscribe, notices.requested)
  return <Suspense>{requested && <NotificationStack />}</Suspense>
}

function SecondSignIn() {
  const question = useSyncExternalStore(recentSignIn.subscribe, recentSignIn.question)
  return <Suspense>{question && <RecentSignInDialog question={question} />}</Suspense>
}
