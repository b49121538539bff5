#pragma once

namespace scalediag::fit {

// The value below which a standard normal variable lies with probability p; 0.5 <= p < 1.
double normal_quantile(double p);

}  // namespace scalediag::fit
