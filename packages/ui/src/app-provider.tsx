import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { type ReactNode, useMemo } from 'react'
import { styleNonce } from './style-nonce.ts'
import { type Accent, contrastVariables, createAtriumTheme } from './theme.ts'

interface Props {
  accent: Accent
  children: ReactNode
}

/** Theme, colour scheme (the system's until the person chooses), dialogs and notifications of an app. */
export function AppProvider({ accent, children }: Props) {
  const theme = useMemo(() => createAtriumTheme(accent), [accent])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={contrastVariables} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <ModalsProvider>
        <Notifications position="bottom-right" limit={4} autoClose={6_000} containerWidth={400} />
        {children}
      </ModalsProvider>
    </MantineProvider>
  )
}
