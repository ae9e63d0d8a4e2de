import type { FlagView } from '@atrium/core/flags/flags'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Tabs, Text } from '@mantine/core'
import { IconPower, IconShieldX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { KillFlag } from './flag-actions.tsx'
import { FlagExplanationTab } from './flag-explanation.tsx'
import { FlagHistoryTab } from './flag-history.tsx'
import { FlagSettingsTab } from './flag-settings.tsx'
import { flagMeta, rollbackSentence } from './labels.ts'
import { flagTabs } from './search.ts'

const t = translations('operator.flags')

const route = getRouteApi('/authenticated/flags/$key')

export const Route = createLazyRoute('/authenticated/flags/$key')({ component: FlagPage })

function FlagPage() {
  const { key } = route.useParams()
  const { tab } = route.useSearch()
  const {
    data: flag,
    isError,
    error,
    isFetching,
    refetch,
  } = useQuery(useTRPC().flags.get.queryOptions({ key }))
  // The history outlives the flag, so its tab still opens.
  if (!flag && isError && isMissing(error) && tab !== 'history') {
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
      ) : tab === 'history' && isError && isMissing(error) ? (
        <FlagHistoryTab name={key} />
      ) : isError ? (
        <ErrorState
          title={t('page.loadFailed')}
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      ) : (
        <LoadingRows label={t('page.loading')} />
      )}
    </>
  )
}

function FlagDetail({ flag }: { flag: FlagView }) {
  const { tab = 'settings' } = route.useSearch()
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
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: { tab: flagTabs.find((name) => name !== 'settings' && name === value) },
          })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label={t('page.tabs.label')}>
          {flagTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`page.tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="settings">
          <FlagSettingsTab flag={flag} />
        </Tabs.Panel>
        <Tabs.Panel value="explain">
          <FlagExplanationTab name={flag.key} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <FlagHistoryTab name={flag.key} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
