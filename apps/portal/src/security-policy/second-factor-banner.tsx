import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Alert, Anchor } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../session/session.ts'
import { useTRPC } from '../trpc.ts'
import { secondFactorPath } from './shut-out.tsx'

const t = translations('portal.layout')

/**
 * Says until when members can set up a second factor. For people who signed in without one, during
 * the days of grace of their workplace.
 */
export function SecondFactorBanner({ slug }: { slug: string }) {
  const { data: session } = useQuery(sessionQuery)
  const policy = useQuery({
    ...useTRPC().securityPolicy.get.queryOptions({ slug }),
    enabled: session?.secondFactor === false,
    staleTime: 300_000,
  }).data
  if (session?.secondFactor !== false || !policy?.mfaRequiredFrom) return null
  return (
    <Alert
      color="yellow"
      icon={<IconShieldLock aria-hidden />}
      title={t('grace.title', { day: formatDay(policy.mfaRequiredFrom) })}
      mb="lg"
    >
      {t.rich('grace.hint', {
        link: (chunks) => (
          <Anchor inherit href={secondFactorPath} target="_blank" rel="noreferrer">
            {chunks}
          </Anchor>
        ),
      })}
    </Alert>
  )
}
