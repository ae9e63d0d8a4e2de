import '@atrium/ui/mantine-styles'
import '@atrium/ui/styles.css'
import type { AppRouter } from '@atrium/api/router'
import { operatorMessages } from '@atrium/messages/operator'
import { AppProvider } from '@atrium/ui/app-provider'
import { readAgainOnConflict } from '@atrium/ui/edit-conflict'
import { loadMatched, removeLoadingFrame } from '@atrium/ui/load-matched'
import { loadMessages, provideMessages } from '@atrium/ui/messages'
import { isPassing, problemOf } from '@atrium/ui/problem'
import { shareStyleNonce } from '@atrium/ui/style-nonce'
import { signInAddress, trpcLinks } from '@atrium/ui/trpc-client'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createTRPCClient } from '@trpc/client'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createOperatorRouter } from './router.tsx'
import { AccessRejection, rejectionOf, rememberRejection } from './session/access.ts'
import { TRPCProvider } from './trpc.ts'

shareStyleNonce()
provideMessages(operatorMessages)
const texts = loadMessages('ui.frame', 'ui.labels', 'operator.layout')

// Access may be withdrawn while a page is open: the first call rejected for it shows the rejection
// page.
function noticeRejection(error: unknown): void {
  const rejection = rejectionOf(error)
  if (!rejection) return
  rememberRejection(queryClient, rejection)
  void router.invalidate()
}

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRejection }),
  mutationCache: new MutationCache({
    onError: (error) => {
      noticeRejection(error)
      readAgainOnConflict(queryClient, error)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < 2 && isPassing(problemOf(error)),
    },
  },
})

const trpcClient = createTRPCClient<AppRouter>({
  links: trpcLinks({ onSignedOut: () => window.location.assign(signInAddress()) }),
})
const trpc = createTRPCOptionsProxy<AppRouter>({ client: trpcClient, queryClient })
const router = createOperatorRouter({ trpc, queryClient })

// A missing chunk means that the page is older than the server's build: reloading brings both
// together. At most once a minute, in case the chunk stays missing.
window.addEventListener('vite:preloadError', () => {
  const last = Number(sessionStorage.getItem('reloaded-at') ?? 0)
  if (Date.now() - last < 60_000) return
  sessionStorage.setItem('reloaded-at', String(Date.now()))
  window.location.reload()
})

loadMatched(router)
removeLoadingFrame(router)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element #root.')

// Not awaited at the top level: the pages are in the chunk of this module, and would wait with it.
void texts.then(() => {
  createRoot(root, {
    // A rejection has a page of its own and is not a fault to report.
    onCaughtError: (error) => {
      if (!(error instanceof AccessRejection)) console.error(error)
    },
  }).render(
    <StrictMode>
      <AppProvider accent="iris">
        <QueryClientProvider client={queryClient}>
          <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
            <RouterProvider router={router} />
          </TRPCProvider>
        </QueryClientProvider>
      </AppProvider>
    </StrictMode>,
  )
})
