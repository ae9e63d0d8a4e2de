import type { MfaState, MfaStatus } from '@atrium/core/upstream-cache/mfa'
import { formatCount } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { RingProgress, Text, UnstyledButton } from '@mantine/core'
import classes from './mfa.module.css'
import { knownShare, type Share, sharesOf } from './status-meta.ts'

const t = translations('portal.mfa')

const colors: Readonly<Record<MfaState, string>> = {
  enrolled: 'green.6',
  not_enrolled: 'yellow.4',
  unknown: 'gray.4',
}

interface Props {
  summary: MfaStatus['summary']
  /** The part the table is narrowed to. */
  chosen: MfaState | undefined
  onChoose: (state: MfaState | undefined) => void
}

/**
 * How many members have a second factor: a ring for the eye, and beside it the same in numbers,
 * which narrow the table.
 */
export function MfaChart({ summary, chosen, onChoose }: Props) {
  const shares = sharesOf(summary)
  return (
    <div className={classes.chart}>
      <div
        role="img"
        aria-label={shares.map(({ label, count }) => `${label}: ${count}`).join(', ')}
      >
        <RingProgress
          aria-hidden
          size={148}
          thickness={16}
          sections={shares
            .filter(({ count }) => count > 0)
            .map(({ state, percent }) => ({ value: percent, color: colors[state] }))}
          label={
            <Text ta="center" component="div">
              <span className={classes.figure}>{knownShare(summary)}</span>
              <Text span size="xs" c="dimmed" display="block">
                {t('overview.ofKnown')}
              </Text>
            </Text>
          }
        />
      </div>
      <ul className={classes.legend} aria-label={t('overview.narrow')}>
        {shares.map((share) => (
          <li key={share.state}>
            <LegendLine share={share} chosen={chosen === share.state} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </div>
  )
}

interface LineProps {
  share: Share
  chosen: boolean
  onChoose: Props['onChoose']
}

function LegendLine({ share: { state, label, count }, chosen, onChoose }: LineProps) {
  return (
    <UnstyledButton
      className={classes.line}
      aria-pressed={chosen}
      onClick={() => onChoose(chosen ? undefined : state)}
    >
      <span className={classes.dot} data-state={state} aria-hidden />
      <span>{label}</span>
      <strong className={classes.count}>{formatCount(count)}</strong>
    </UnstyledButton>
  )
}
