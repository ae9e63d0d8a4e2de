import { Skeleton, Text } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import classes from './charts.module.css'

interface Props {
  /** What is drawn, in a sentence; the table beside the chart says it exactly. */
  caption: string
  height?: number
  children: ReactNode
}

/**
 * The area of a chart. Screen readers get the table instead: a drawing has nothing exact to say.
 */
export function ChartFigure({ caption, height = 260, children }: Props) {
  return (
    <figure className={classes.figure}>
      <div aria-hidden style={{ height }}>
        <Suspense fallback={<Skeleton h={height} />}>{children}</Suspense>
      </div>
      <Text component="figcaption" size="xs" c="dimmed" mt={4}>
        {caption}
      </Text>
    </figure>
  )
}
