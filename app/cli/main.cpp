#include "core/base/result.h"
int main() { return 0; }
