import { MantineProvider } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import { styleNonce } from './style-nonce.ts'
import { type Accent, contrastVariables, createAtriumTheme } from './theme.ts'

// Nothing is said before somebody acts, so this is no part of the first load.
const NotificationStack = lazy(() => import('./notification-stack.tsx'))

interface Props {
  accent: Accent
  children: ReactNode
}

/** Theme, colour scheme (the system's until the person chooses) and notifications of an app. */
export function AppProvider({ accent, children }: Props) {
  const theme = useMemo(() => createAtriumTheme(accent), [accent])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={contrastVariables} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      {children}
      <Suspense>
        <NotificationStack />
      </Suspense>
    </MantineProvider>
  )
}
