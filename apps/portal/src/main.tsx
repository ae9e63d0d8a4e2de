import '@atrium/ui/mantine-styles'
import '@atrium/ui/styles.css'
import { portalMessages } from '@atrium/messages/portal'
import { AppProvider } from '@atrium/ui/app-provider'
import { loadMatched, removeLoadingFrame } from '@atrium/ui/load-matched'
import { loadMessages, provideMessages } from '@atrium/ui/messages'
import { shareStyleNonce } from '@atrium/ui/style-nonce'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createPortalRouter } from './router.tsx'
import { connect, TRPCProvider } from './trpc.ts'

shareStyleNonce()
provideMessages(portalMessages)
const texts = loadMessages('ui.frame', 'ui.labels', 'portal.layout')
const { client, queryClient, trpc } = connect()
const router = createPortalRouter({ trpc, queryClient })
loadMatched(router)
removeLoadingFrame(router)

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element to render into.')

// Not awaited at the top level: the pages are in the chunk of this module, and would wait with it.
void texts.then(() => {
  createRoot(root).render(
    <StrictMode>
      <AppProvider accent="tide">
        <QueryClientProvider client={queryClient}>
          <TRPCProvider trpcClient={client} queryClient={queryClient}>
            <RouterProvider router={router} />
          </TRPCProvider>
        </QueryClientProvider>
      </AppProvider>
    </StrictMode>,
  )
})
