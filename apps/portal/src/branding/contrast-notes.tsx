import { contrastWarnings, pageColors, textColorOn } from '@atrium/core/branding/contrast'
import { translations } from '@atrium/ui/messages'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconContrast } from '@tabler/icons-react'
import classes from './preview.module.css'

const t = translations('portal.branding')

interface Props {
  /** `#rrggbb`, lower-case. */
  color: string
  onTake: (color: string) => void
}

/**
 * Warns about an accent colour with low contrast and suggests the nearest readable colour. Rejects
 * nothing.
 */
export function ContrastNotes({ color, onTake }: Props) {
  const warnings = contrastWarnings(color)
  if (warnings.length === 0) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconContrast aria-hidden />}
      title={t('contrast.title')}
      role="status"
    >
      <Stack gap="sm">
        {warnings.map(({ check, ratio, required, nearest }) => (
          <Stack key={check} gap={6} align="flex-start">
            <Text size="sm">{t(`contrast.checks.${check}`, { ratio, required })}</Text>
            <Button
              size="xs"
              variant="default"
              leftSection={
                <span className={classes.swatch} style={{ background: nearest }} aria-hidden />
              }
              onClick={() => onTake(nearest)}
            >
              {t('contrast.take', { color: nearest })}
            </Button>
          </Stack>
        ))}
      </Stack>
    </Alert>
  )
}

/**
 * A button in the colour on a light and on a dark page, with the text colour that is read best on
 * it.
 */
export function ColorSample({ color, label }: { color: string; label: string }) {
  const style = { background: color, color: textColorOn(color) }
  return (
    <Group className={classes.sample} gap={0} aria-hidden wrap="nowrap">
      {(['light', 'dark'] as const).map((page) => (
        <div
          key={page}
          className={classes.half}
          style={{ background: pageColors[page], color: page === 'light' ? '#1b1a17' : '#e7e9eb' }}
        >
          <Text size="xs">
            {page === 'light' ? t('contrast.lightPage') : t('contrast.darkPage')}
          </Text>
          <span className={classes.sampleButton} style={style}>
            {label}
          </span>
        </div>
      ))}
    </Group>
  )
}
