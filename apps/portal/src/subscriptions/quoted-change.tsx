import type { ChangePreview, PreviewSubscriptionChange } from '@atrium/core/billing/subscriptions'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { confirmLabel, effectSentence } from './labels.ts'
import { useChangeSubscription } from './mutations.ts'
import classes from './subscriptions.module.css'
import { TaxRows } from './tax-rows.tsx'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  change: Omit<PreviewSubscriptionChange, 'slug'>
  /** What is asked for is still being typed. */
  typing?: boolean
  onDone: () => void
  onCancel: () => void
}

/**
 * Shorter than the ten minutes for which a quote holds, so that one on the screen can always be
 * confirmed.
 */
export const requoteMs = 9 * 60_000

/** What a change costs, line by line, and the button that carries it out for exactly that. */
export function QuotedChange({ slug, change, typing = false, onDone, onCancel }: Props) {
  const trpc = useTRPC()
  const preview = useQuery(
    trpc.subscriptions.preview.queryOptions(
      { slug, ...change },
      {
        placeholderData: keepPreviousData,
        staleTime: 0,
        gcTime: 0,
        retry: false,
        refetchInterval: requoteMs,
      },
    ),
  )
  const apply = useChangeSubscription(slug)
  const stale = typing || preview.isPlaceholderData || preview.isFetching
  // Awaited, because the page may have left this form by the time of the response.
  async function confirm({ quote }: ChangePreview) {
    try {
      const { outcome } = await apply.mutateAsync({ slug, ...change, quote })
      done(t(`outcomes.${outcome}`))
      onDone()
    } catch (error) {
      // The form shows the failure itself.
      if (problemOf(error).code === 'quote_expired') await preview.refetch()
    }
  }
  return (
    <Stack gap="sm">
      {preview.isError ? (
        <ProblemAlert error={preview.error} message={problemOf(preview.error).issues[0]?.message} />
      ) : preview.data ? (
        <Quote preview={preview.data} stale={stale} />
      ) : (
        <Skeleton height={96} radius="md" aria-label={t('quote.loading')} role="status" />
      )}
      {apply.error && <ProblemAlert error={apply.error} message={rejection(apply.error)} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel} disabled={apply.isPending}>
          {t('dismiss')}
        </Button>
        <Button
          loading={apply.isPending}
          disabled={!preview.data || preview.isError || stale}
          onClick={() => preview.data && void confirm(preview.data)}
        >
          {preview.data && !preview.isError ? confirmLabel(preview.data) : t('quote.change')}
        </Button>
      </Group>
    </Stack>
  )
}

function rejection(error: unknown): string | undefined {
  return problemOf(error).code === 'quote_expired' ? t('quote.expired') : undefined
}

/** What a change costs, line by line. */
export function Quote({ preview, stale }: { preview: ChangePreview; stale: boolean }) {
  const { lines, currency, netMinor, taxes, totalMinor, exact, effect } = preview
  const money = (minor: number) => formatMoney(minor, currency)
  return (
    <div
      className={classes.quote}
      data-stale={stale || undefined}
      aria-live="polite"
      aria-busy={stale}
    >
      {lines.length > 0 && (
        <table className={classes.lines}>
          <caption className={classes.hidden}>{t('quote.caption')}</caption>
          <tbody>
            {lines.map((line) => (
              <tr key={`${line.description} ${line.amountMinor}`}>
                <th scope="row">{line.description}</th>
                <td>{money(line.amountMinor)}</td>
              </tr>
            ))}
            <TaxRows taxes={taxes} netMinor={netMinor} currency={currency} />
            <tr data-total>
              <th scope="row">{exact ? t('quote.dueNow') : t('quote.about')}</th>
              <td>{money(totalMinor)}</td>
            </tr>
          </tbody>
        </table>
      )}
      {effect === 'now' && lines.length === 0 && <Text size="sm">{t('quote.nothingDue')}</Text>}
      <Text size="sm" c="dimmed">
        {effectSentence(preview)} {preview.needsApproval && t('change.askOwnerHint')}
      </Text>
    </div>
  )
}
