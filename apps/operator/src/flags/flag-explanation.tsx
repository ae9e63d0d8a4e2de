import type { FlagExplanation } from '@atrium/core/flags/flags'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { StatusBadge, ToneIcon } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Alert, Autocomplete, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTenantSuggestions } from '../parts/tenant-suggestions.ts'
import { useTRPC } from '../trpc.ts'
import classes from './flag-explanation.module.css'
import { stateName } from './labels.ts'

const t = translations('operator.flags')

const route = getRouteApi('/authenticated/flags/$key')

/** Why the flag is on or off for a tenant, step by step. */
export function FlagExplanationTab({ name }: { name: string }) {
  const { tenantSlug } = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const explanation = useQuery(
    trpc.flags.explain.queryOptions(
      { key: name, ...(tenantSlug === undefined ? {} : { tenantSlug }) },
      { placeholderData: keepPreviousData },
    ),
  )
  const ask = (slug: string) =>
    void navigate({
      search: { tab: 'explain', ...(slug === '' ? {} : { tenantSlug: slug }) },
      replace: true,
    })
  const unknown =
    explanation.isError &&
    ['not_found', 'invalid_input'].includes(problemOf(explanation.error).code)
  return (
    <Stack gap="lg" maw={760}>
      <TenantQuestion requested={tenantSlug} onAsk={ask} unknown={unknown} />
      {unknown ? null : explanation.isError ? (
        <ErrorState
          title={t('explain.loadFailed')}
          error={explanation.error}
          onRetry={() => void explanation.refetch()}
          retrying={explanation.isFetching}
        />
      ) : explanation.isPending ? (
        <LoadingRows label={t('explain.loading')} rows={4} />
      ) : (
        <Evaluation explanation={explanation.data} />
      )}
    </Stack>
  )
}

function TenantQuestion({
  requested,
  onAsk,
  unknown,
}: {
  requested: string | undefined
  onAsk: (slug: string) => void
  unknown: boolean
}) {
  const [typed, setTyped] = useState(requested ?? '')
  const found = useTenantSuggestions(typed)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onAsk(typed.trim().toLowerCase())
      }}
    >
      <Autocomplete
        label={t('explain.tenant')}
        description={t('explain.tenantHint')}
        placeholder={t('explain.tenantPlaceholder')}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        withScrollArea={false}
        value={typed}
        onChange={(value) => {
          setTyped(value)
          if (value === '') onAsk('')
        }}
        onOptionSubmit={onAsk}
        error={
          unknown && requested !== undefined
            ? t('explain.unknownTenant', { slug: requested })
            : undefined
        }
        data={found.map((tenant) => tenant.slug)}
        filter={({ options }) => options}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">{found.find((tenant) => tenant.slug === option.value)?.name}</Text>
            <Text size="xs" c="dimmed">
              {option.value}
            </Text>
          </div>
        )}
      />
    </form>
  )
}

function Evaluation({ explanation }: { explanation: FlagExplanation }) {
  const { key, tenantSlug, tenantStatus, value, served, steps } = explanation
  return (
    <Panel
      title={
        tenantSlug === null
          ? t('explain.titleWithout', { key })
          : t('explain.title', { key, slug: tenantSlug })
      }
      description={
        tenantSlug !== null && (
          <LinkAnchor to="/tenants/$slug" params={{ slug: tenantSlug }} fz="inherit">
            {t('explain.viewTenant')}
          </LinkAnchor>
        )
      }
      actions={
        <StatusBadge label={stateName(served ? 'on' : 'off')} tone={served ? 'good' : 'neutral'} />
      }
    >
      <Stack>
        {value && !served && tenantStatus && (
          <Alert
            color="yellow"
            icon={<IconAlertTriangle aria-hidden />}
            title={t('explain.overruled.title', { status: tenantStatus })}
          >
            {t('explain.overruled.hint')}
          </Alert>
        )}
        <ol className={classes.steps}>
          {steps.map(({ step, outcome, detail }) => (
            <li key={step} className={classes.step} data-outcome={outcome}>
              <ToneIcon tone={toneOf(outcome, value)} size={18} />
              <div>
                <Group gap={6}>
                  <Text size="sm" fw={550} span>
                    {t(`explain.steps.${step}`)}
                  </Text>
                  <Text size="xs" c="dimmed" span>
                    {t(
                      `explain.outcomes.${outcome === 'decided' ? (value ? 'on' : 'off') : outcome}`,
                    )}
                  </Text>
                </Group>
                <Text size="sm" {...(outcome === 'decided' ? {} : { c: 'dimmed' })}>
                  {detail.replaceAll(' %', '\u00a0%')}
                </Text>
              </div>
            </li>
          ))}
        </ol>
      </Stack>
    </Panel>
  )
}

function toneOf(outcome: FlagExplanation['steps'][number]['outcome'], value: boolean): Tone {
  if (outcome === 'not_reached') return 'waiting'
  if (outcome === 'passed') return 'neutral'
  return value ? 'good' : 'bad'
}
