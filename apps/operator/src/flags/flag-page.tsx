import type { FlagView } from '@atrium/core/flags/flags'
import { QueryState } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Text } from '@mantine/core'
import { IconPower, IconShieldX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { PageTabs } from '../parts/page-tabs.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { KillFlag } from './flag-actions.tsx'
import { FlagExplanationTab } from './flag-explanation.tsx'
import { FlagHistoryTab } from './flag-history.tsx'
import { FlagSettingsTab } from './flag-settings.tsx'
import { flagMeta, rollbackSentence } from './labels.ts'

const t = translations('operator.flags')

const route = getRouteApi('/authenticated/flags/$key')

export const Route = createLazyRoute('/authenticated/flags/$key')({ component: FlagPage })

function FlagPage() {
  const { key } = route.useParams()
  const { tab } = route.useSearch()
  const query = useQuery(useTRPC().flags.get.queryOptions({ key }))
  const { data: flag, error } = query
  // The history outlives the flag, so its tab still opens.
  if (!flag && error && isMissing(error) && tab !== 'history') {
    return (
      <MissingPage
        title={t('page.missing.title')}
        back={<LinkAnchor to="/flags">{t('page.missing.back')}</LinkAnchor>}
      >
        {t.rich('page.missing.hint', {
          key,
          history: (chunks) => (
            <LinkAnchor to="/flags/$key" params={{ key }} search={{ tab: 'history' }} inherit>
              {chunks}
            </LinkAnchor>
          ),
        })}
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={key}
        description={flag?.description}
        marks={flag && <StatusBadge {...flagMeta(flag)} />}
        actions={flag && <KillFlag flag={flag} />}
      />
      {flag ? (
        <FlagDetail key={key} flag={flag} />
      ) : tab === 'history' && error && isMissing(error) ? (
        <FlagHistoryTab name={key} />
      ) : (
        <QueryState query={query} loading={t('page.loading')} failed={t('page.loadFailed')} />
      )}
    </>
  )
}

function FlagDetail({ flag }: { flag: FlagView }) {
  const { tab } = route.useSearch()
  const { killedAt } = flag
  const navigate = route.useNavigate()
  return (
    <>
      {killedAt !== null && (
        <Alert
          color="red"
          icon={flag.rollback ? <IconShieldX aria-hidden /> : <IconPower aria-hidden />}
          title={t(flag.rollback ? 'page.killed.titleByGuard' : 'page.killed.title')}
          mb="lg"
        >
          {flag.rollback && (
            <Text inherit mb={4}>
              {rollbackSentence(flag.rollback)}
            </Text>
          )}
          {t.rich('page.killed.since', { time: () => <Time at={killedAt} show="absolute" /> })}
        </Alert>
      )}
      <PageTabs
        label={t('page.tabs.label')}
        open={tab}
        onChange={(name) => void navigate({ search: { tab: name } })}
        tabs={[
          {
            name: 'settings',
            label: t('page.tabs.settings'),
            content: <FlagSettingsTab flag={flag} />,
          },
          {
            name: 'explain',
            label: t('page.tabs.explain'),
            content: <FlagExplanationTab name={flag.key} />,
          },
          {
            name: 'history',
            label: t('page.tabs.history'),
            content: <FlagHistoryTab name={flag.key} />,
          },
        ]}
      />
    </>
  )
}
