/// Counts and times for Prometheus.
@NullMarked
package dev.belay.server.metrics;

import org.jspecify.annotations.NullMarked;
